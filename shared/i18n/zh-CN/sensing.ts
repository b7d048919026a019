import type { sensing as english } from '../en/sensing';
import type { Matching } from '../matching';

export const sensing = {
  smiNotAllowed: '无法启动 {path}：{reason}。',
  smiNotAllowedRemedy: '请检查该文件和设备文件的权限（ls -l {path} /dev/nvidia*），或联系管理员。',
  smiSilent: 'nvidia-smi 已有 {seconds:duration}没有响应。',
  smiSilentRemedy:
    '当前显示的是最后一次读到的数值。驱动可能已卡住：请在“dmesg”中查找“Xid”。Headroom 会继续等待并重试；训练可能仍在运行。',
  smiStuck: 'nvidia-smi（进程 {pid}）没有响应，也无法结束。',
  smiStuckRemedy:
    '它卡在驱动内部。在它消失之前 Headroom 不会再启动新的。请在“dmesg”中查找“Xid”；通常只有重启机器才能恢复。',
  smiEnded: 'nvidia-smi 没有给出结果就退出了（{status}）。',
  smiEndedRemedy: 'Headroom 会重新启动它。请在终端运行“nvidia-smi”查看它的输出。',
  smiUnknown: 'nvidia-smi 输出了 Headroom 不认识的内容：“{text}”',
  smiUnknownRemedy: '请在终端运行“nvidia-smi”。如果那里正常，请报告这段文字。',
  smiFlood: 'nvidia-smi 一次输出超过 {limit:bytes}，已将其结束。',
  smiFloodRemedy: '请确认设置中选择的程序确实是 nvidia-smi，而不是包装脚本。',
  detailsMissing: 'nvidia-smi 没有给出详细报告（“-q -x”）。',
  detailsMissingRemedy: '显存和负载仍可读取，但桌面程序、MIG 实例和部分健康标志可能缺失。',
  outsideNamespace: 'Headroom 运行在容器中：占用显卡的进程在容器之外，无法识别。',
  outsideNamespaceRemedy: '启动容器时使用宿主机的进程表（“--pid=host”）即可看到它们。',
  heldByUnknown: '{gpuIndex} 号卡：已占用 {used:bytes}，但没有列出对应的进程。',
  heldByUnknownRemedy:
    '可能被其他用户或容器的进程、或异常退出的进程占用。“sudo fuser -v /dev/nvidia*”可以查看谁打开了显卡。',
  samplerEnded: 'Headroom 中负责读取显卡的进程意外退出，正在重新启动。',
  samplerEndedRemedy: '当前显示的是最后一次读到的数值。如果再次发生，请附上日志（“帮助”菜单）报告。',
} as const satisfies Matching<typeof english>;
