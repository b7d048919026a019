import type { planCommand as english } from '../en/planCommand';
import type { Matching } from '../matching';

/** `headroom plan` 的参数与可读输出。 */
export const planCommand = {
  summary: '找出在这些显卡上训练模型的各种方案，最好的排在最前，并可生成可直接运行的文件。',
  note: '标有（auto）的参数是每个方案都要满足的要求；不给则由规划器选择。',
  flagGpus: '2x24GiB、24576,24576（MiB）或 detected（默认 detected）',
  flagGlobalBatch: '所有显卡每个优化步的样本总数（默认每卡 8 个）',
  flagHostGib: '机器内存（GiB），用于判断卸载',
  flagWrite: '把方案的文件写入文件夹',
  flagPlan: '--write 采用第几个方案（默认是能写出文件的最佳方案）',
  flagForce: '覆盖已有文件',
  flagAsk: 'longest-seq、largest-batch、smallest-card 或 cheapest-change',
  badGpus: '--gpus：“{value}”不是一组显卡；应为 2x24GiB、24576,24576（MiB）或 detected',
  noneDetected: '没有检测到显卡；请用 --gpus 2x24GiB 指定',
  cardMibWithGpus: '--card-mib 与 --gpus 都用来指定显卡，请只给一个',
  askWithWrite: '--write 不能与 --ask 同时使用',
  forceAlone: '{flag} 需要与 --write 一起使用',
  noSuchPlan: { other: '--plan {number}：共有 {count} 个方案' },
  nothingToWrite: '没有可生成文件的方案',
  fileExists: '{file} 已存在；如需覆盖请加 --force',
  notAFolder: '无法创建 {file}：路径中有一段是文件',
  wroteOther: '方案 {number} 之前的方案没有可写的文件，写出的是方案 {number}。',
  writeFailed: '无法写入 {file}：{reason}',
  wrote: '已写入 {file}',
  textModel: '{name}：{parameters:n} 个参数',
  textPlanSingle:
    '{rank}. {strategy} · {method} · {precision} · {optimizer} · {checkpointing} · {offload}：{verdict}',
  textPlan: {
    other:
      '{rank}. {strategy} · {count} 张卡 · {method} · {precision} · {optimizer} · {checkpointing} · {offload}：{verdict}',
  },
  textNumbers: '微批次 {micro:n}，累积 {steps:n} 步，最满的卡占 {peak:bytes}，相对耗时 {time:n}',
  textStages: '各卡上的层数：{layers}（调度 {schedule}）',
  textHost: '占用内存 {bytes:bytes}',
  textNoFiles: '此方案无法写出文件：{why}',
  textExperimental: '实验性：未在这类显卡上实测',
  textChanges: '会改变训练的内容',
  verdictFits: '放得下',
  verdictTight: '紧张',
  textNone: '没有放得下的方案。',
  textRefused: '不可行：',
  textRefusal: '{strategy} · {method}：{why}',
  textAssumed: '假设：',
} as const satisfies Matching<typeof english>;
