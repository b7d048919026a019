import type { alerts as english } from '../en/alerts';
import type { Matching } from '../matching';

export const alerts = {
  nearlyFull: '{card} 号卡已用 {percent:percent}，还剩 {left:bytes}。',
  willFill: '{card} 号卡约 {eta:duration}后占满：{job} 每秒增长 {slope:bytes}。',
  leak: '{card} 号卡上的 {job} 已匀速增长 {since:duration}，每秒 {slope:bytes}：约 {eta:duration}后占满。',
  hot: '{card} 号卡过热：{celsius} °C。',
  throttledByHeat: '{card} 号卡因过热而降频。',
  throttledByPower: '{card} 号卡因供电不足而降频。',
  cardLost: '{card} 号卡不再响应。',
  eccErrors: { other: '{card} 号卡报告了 {count} 个无法纠正的显存错误。' },
  staleJob: '{job} 是残留任务，仍占用 {held:bytes}。',
  diedOnFullCard: '{job} 在 {card} 号卡占满时结束（{used:bytes} / {total:bytes}）：很可能是显存不足。',
  hostMemory: '主机内存即将用尽，还剩 {left:bytes}。占用最多的是 {largest}（{held:bytes}）。',

  ruleNearlyFull: '显存即将占满',
  ruleWillFill: '显存将会占满',
  ruleUneven: '各卡负载不均',
  ruleStaleJob: '残留任务占用显存',
  ruleDiedOnFullCard: '很可能显存不足',
  ruleHostMemory: '主机内存不足',
  ruleHot: '显卡过热',
  ruleThrottled: '显卡降频',
  ruleCardLost: '显卡掉线',
  ruleEccErrors: '显存出错',
  simulatedTitle: '{title}（模拟）',
  moreTitle: { other: '另有 {count} 条提醒' },
  moreBody: '全部提醒见“工作站”。',
} as const satisfies Matching<typeof english>;
