import type { scenes as english } from '../en/scenes';
import type { Matching } from '../matching';

export const scenes = {
  two3090OomTitle: '两张 RTX 3090，显存不足',
  two3090OomDescription:
    '微调 Llama-2 13B 时所有内容都放在第一张卡上，显存占满后进程退出，而第二张卡一直空着。',
  eightHealthyTitle: '八张卡，运行正常',
  eightHealthyDescription: '八张 A100 上的一个 DDP 任务：负载均衡、利用率高、显存平稳。',
  driverMismatchTitle: '驱动版本不匹配',
  driverMismatchDescription: '驱动更新后内核模块仍是旧版本，nvidia-smi 无法工作；{seconds} 秒后恢复。',
  smiHangsTitle: 'nvidia-smi 无响应',
  smiHangsDescription: 'nvidia-smi 在 {from} 秒后停止响应，到第 {until} 秒恢复。',
} as const satisfies Matching<typeof english>;
