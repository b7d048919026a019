import type { ending as english } from '../en/ending';
import type { Matching } from '../matching';

export const ending = {
  keepsOwn: '进程 {pid} 是 Headroom 自己或它的上级。',
  keepsUnknown: '进程 {pid} 无法确认身份，因此不动它。',
  keepsDesktop: '进程 {pid} 属于桌面。',
  keepsService: '进程 {pid}（{name}）是服务，请用它自己的命令停止。',
  keepsShell: '进程 {pid} 是 shell 或终端。',
  keepsNotebook: '进程 {pid} 是笔记本内核，请在笔记本里关闭。',
  keepsZombie: '进程 {pid} 已经结束；等父进程或驱动放手后显存才会归还，否则只能重启机器。',
  keepsNamespace: '进程 {pid} 在另一个容器里，请在那里结束它。',
  keepsOtherUser: '进程 {pid} 属于 {user}，请联系本人或管理员。',
  refused: '无法向进程 {pid} 发信号：没有权限。',
  uninterruptible:
    '进程 {pid} 卡在内核里（D 状态），现在无法结束；若一直如此，说明驱动或磁盘挂起，需要重启机器。',
  survivesKill: '进程 {pid} 收到 SIGKILL 仍未结束，卡在驱动里；若一直如此，只能重启机器。',
  notForced: '进程 {pid} 收到请求后没有结束，也没有被强制结束。',
} as const satisfies Matching<typeof english>;
