import type { settings as english } from '../en/settings';
import type { Matching } from '../matching';

export const settings = {
  title: '设置',
  appearance: '外观',
  language: '语言',
  languageSystem: '跟随系统（{language}）',
  english: 'English',
  chinese: '简体中文',
  theme: '主题',
  themeSystem: '跟随系统',
  themeLight: '浅色',
  themeDark: '深色',

  readings: '读数',
  interval: '间隔',
  intervalHint: '窗口显示时，两次读取显卡之间的时间。',
  intervalValue: { other: '{count} 秒' },
  nvidiaSmi: 'nvidia-smi',
  nvidiaSmiDefault: '在常用位置找到的',
  chooseFile: '选择…',
  useDefault: '使用常用位置',
  startWith: '启动时显示',
  startWithCards: '本机的显卡；没有显卡时显示模拟',
  startWithScene: '模拟场景“{scene}”',

  safety: '安全',
  readOnly: '只读模式',
  readOnlyHint: '无论按下什么，都不会结束进程，也不会写入文件。',

  window: '窗口与托盘',
  tray: '在托盘中显示图标',
  trayHint: '有些桌面没有托盘，Headroom 没有托盘也能使用。',
  closing: '关闭窗口时',
  closingQuit: '退出 Headroom',
  closingTray: '保留在托盘中',
  startMinimised: '启动时不显示窗口，只留在托盘',

  about: '关于',
  runtimeValue: 'Electron {electron}、Chrome {chrome}、Node {node}',
  log: '日志',
  privacy: '任何数据都不会离开本机。',
  notSaved: '更改未保存：{reason}',
} as const satisfies Matching<typeof english>;
