import type { firstRun as english } from '../en/firstRun';
import type { Matching } from '../matching';

export const firstRun = {
  welcome: '欢迎使用 Headroom',
  step: '第 {step} 步，共 {count} 步',
  language: '语言与外观',
  languageHint: '这些以后都可以在“设置”中更改。',
  cards: '你的显卡',
  cardsHint: 'Headroom 通过 nvidia-smi 读取显卡，不占用显存。',
  found: '找到的显卡',
  simulatedHint: '没有找到 NVIDIA 显卡，或指定了场景，因此这些显卡是模拟的。在“工作站”顶部可以更换场景。',
  alerts: '提醒',
  alertsHint: '桌面会通知这些情况。更多提醒及其界限见“设置”。',
  tray: '托盘与启动',
  trayHint: '关闭窗口后，Headroom 可以留在托盘中继续关注显卡。',
  back: '上一步',
  next: '下一步',
  skip: '跳过设置',
  finishInPlan: '规划一次训练',
  finish: '打开工作站',
} as const satisfies Matching<typeof english>;
