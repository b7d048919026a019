import type { stale as english } from '../en/stale';
import type { Matching } from '../matching';

export const stale = {
  launcherGone: '它的启动器（pid {pid}）已在 {since:duration}前结束。',
  launcherGoneBefore: { other: '它的 {count} 个 rank 由 torchrun 启动，但上面已经没有 torchrun 了。' },
  ranksAdopted: { other: '启动它的 {count} 个 rank 的进程已经不在了。' },
  containerGone: '它所在的容器已不存在。',
  workersAlone: { other: '{count} 个工作进程失去了父进程：不会再有人给它们派活。' },
  zombie: '进程 {pid} 已经结束却仍占着卡：它有线程卡在驱动里，或有子进程没退出。',
  ranksMissing: { other: '{expected} 个 rank 只剩 {count} 个。' },
  portSilent: '它的会合端口 {port} 已无人监听。',
  newerRun: '同一条命令后来又在同一张卡上启动了一次（{job}）。',
  unlisted: '它打开着显卡设备，但 nvidia-smi 没有列出它。',
  ownerGone: '进程 {pid} 已不存在，但 nvidia-smi 仍显示它占用显存。',
  uninterruptible: '它的一个进程已在内核里等待（D 状态）{since:duration}。',
  idleLong: '它已有 {since:duration}既不用处理器也不读写磁盘。',

  desktop: '桌面程序。',
  service: '由系统服务看管，结束后会被重新启动。',
  notebook: '笔记本内核：变量是有意保留的。请在笔记本里关闭它。',
  checkpointOpen: '它正打开一个检查点文件写入。',
  launcherAlive: '它的启动器还在运行。',
  computing: '它的进程正在计算（显卡利用率 {percent}%）：可能是别人正在用的任务。',
  computingUnknown: '它的进程正在计算：可能是别人正在用的任务。',
  severalOwners: '它的进程属于多个用户，或所属用户未知。',
  unreadable: '它的部分进程无法读取，因此不能下定论。',
  stopped: '它被暂停（Ctrl-Z），可能还要继续。',
  otherUser: '它属于用户 {user}。',
} as const satisfies Matching<typeof english>;
