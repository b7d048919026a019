import type { forecast as english } from '../en/forecast';
import type { Matching } from '../matching';

export const forecast = {
  summary: '把录下的显存曲线重放给预测器。',
  alert: '第 {t} 秒：约 {eta:duration}后占满，每秒增长 {slope:bytes}。',
  alertBetween: '第 {t} 秒：{least~most:duration}内占满，每秒增长 {slope:bytes}。',
  steady: '结束时显存平稳。',
  growing: '结束时显存仍在增长。',
  spiky: '结束时显存有起伏，但没有趋势。',
  unknown: '曲线太短，无法判断。',
  notJson: '{file}：不是 JSON；应为带有 capacity_bytes 和 samples 的对象',
  notASeries: '{file}：{part} 缺失或有误；应为按时间递增的 capacity_bytes 与 samples（[秒, 字节]）',
} as const satisfies Matching<typeof english>;
