import type { tray as english } from '../en/tray';
import type { Matching } from '../matching';

export const tray = {
  show: '显示 Headroom',
  headline: 'Headroom：{host}',
  simulated: 'Headroom：模拟显卡',
  noReadings: '没有显卡读数',
  card: '{card} 号卡 {name}：{used} / {total} {unit}',
  cardUnknown: '{card} 号卡 {name}：显存未知',
  cardLost: '{card} 号卡 {name}：没有响应',
  staleJob: '残留：{job}，{held:bytes}',
  snooze: '提醒静音 1 小时',
  snoozed: '提醒静音至 {time}，点此恢复',

  closeTitle: 'Headroom 留在托盘中',
  closeText: '窗口将关闭，Headroom 会在托盘中继续关注显卡。',
  closeDetail: '托盘图标的菜单可以重新显示窗口或退出。关闭窗口时做什么，可在设置中更改。',
  closeKeep: '留在托盘',
  closeQuit: '退出 Headroom',

  noHostTitle: '此桌面不显示托盘',
  noHostText: 'Headroom 没有托盘也能使用；关闭窗口即退出。在 GNOME 上，AppIndicator 扩展可以添加托盘。',
} as const satisfies Matching<typeof english>;
