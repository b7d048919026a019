import type { problems as english } from '../en/problems';
import type { Matching } from '../matching';

export const problems = {
  driverMismatch: 'NVIDIA 驱动已更新，但内核仍在运行旧的驱动模块。',
  driverMismatchVersion: 'NVIDIA 驱动已更新到 {libraryVersion}，但内核仍在运行旧的驱动模块。',
  driverMismatchRemedy:
    '请重启机器；或在没有程序使用显卡时卸载并重新加载 nvidia 内核模块。正在运行的任务不受影响。',
  driverNotLoaded: 'nvidia-smi 无法与 NVIDIA 驱动通信：内核模块没有加载。',
  driverNotLoadedRemedy:
    '请查看“lsmod | grep nvidia”和“dmesg | grep -i nvidia”。内核升级后需安装对应的内核头文件、重新编译模块（DKMS）并重启；开启 Secure Boot 时模块必须签名。',
  noDevices: '驱动在运行，但看不到任何 NVIDIA 显卡。',
  noDevicesRemedy:
    '请检查“lspci”是否列出显卡，以及“dmesg | grep -i nvrm”的内容。在容器中需带 GPU 权限启动，例如“docker run --gpus all”。',
  noSupportedDevices: '驱动在运行，但不支持本机的任何一张显卡。',
  noSupportedDevicesRemedy:
    '请安装支持该显卡的驱动版本；较新的显卡需要开源内核模块。已直通给虚拟机的显卡在这里不可见。',
  libraryMissing: '没有安装或找不到 NVIDIA 管理库（NVML）。',
  libraryMissingRemedy: '请安装 NVIDIA 驱动。在容器中需使用 NVIDIA 容器运行时，并启用“utility”驱动能力。',
  commandMissing: '没有安装 nvidia-smi，或它不在搜索路径中。',
  commandMissingRemedy: '请安装 NVIDIA 驱动，或在设置中指定 nvidia-smi 程序。在容器中需带 GPU 权限启动。',
  cardLost: '{card} 号卡已从总线上掉线，不再响应。',
  cardLostRemedy:
    '请保存能保存的内容并重启。若再次出现，请在“dmesg”中查找 Xid 79，并检查供电线、插槽和散热。',
  cardUnreachable: '驱动无法打开 {card} 号卡。',
  cardUnreachableRemedy:
    '请在“dmesg”中查找 Xid 信息。其余显卡仍可用“nvidia-smi -i”查询。通常重启后该卡会恢复。',
  cardPowerMissing: '{card} 号卡的外接供电不足。',
  cardPowerMissingRemedy: '请接好它的全部供电线，然后重新开机。',
  cardNeedsReset: '{card} 号卡发生故障，必须重置；它的读数无效。',
  cardNeedsResetRemedy: '请先结束该卡上的程序，再执行“sudo nvidia-smi --gpu-reset -i {card}”，或重启机器。',
  cardError: '驱动在读取 {card} 号卡的部分数值时报错：{fields}。',
  cardErrorRemedy: '健康的显卡也可能有个别数值读不到。若多数数值缺失，请在“dmesg”中查找 Xid 信息并重置该卡。',
  infoRomCorrupted: '{card} 号卡的信息存储器（infoROM）已损坏。',
  infoRomCorruptedRemedy: '显卡仍可工作，但设置和错误计数可能丢失。请联系厂商检测或更换。',
  noPermission: 'NVIDIA 驱动拒绝访问：权限不足。',
  noPermissionRemedy:
    '请检查 /dev/nvidia* 的读取权限，以及 SELinux 或 AppArmor 规则；在容器中请检查分配给它的设备。',
  nvmlUnknownError: 'NVIDIA 驱动返回未知错误。',
  nvmlUnknownErrorRemedy:
    '在容器中，这表示容器丢失了设备：请重启容器。在宿主机上，请在“dmesg”中查找 Xid 信息并重启。',
  nvmlFailed: 'NVIDIA 管理库无法启动：{reason}',
  nvmlFailedRemedy: '请用“dmesg | grep -i nvrm”检查驱动，必要时重装驱动并重启。',
  wslBlocked: 'Windows 没有把显卡交给这个 WSL 系统。',
  wslBlockedRemedy:
    '请在 Windows 上安装最新的 NVIDIA 驱动（WSL 内不要装驱动），执行“wsl --update”和“wsl --shutdown”，并使用 /usr/lib/wsl/lib/nvidia-smi。',
  containerRuntime: '无法把显卡交给容器：{reason}',
  containerRuntimeRemedy:
    '请在宿主机上安装 NVIDIA Container Toolkit，执行“sudo nvidia-ctk runtime configure”，重启容器服务，并确认宿主机上的 nvidia-smi 正常。',
  requestRefused: 'nvidia-smi 没能完成请求：{reason}',
  requestRefusedRemedy: '多数更改需要 root 权限；切换 MIG 模式或重置显卡时，不能有程序在使用该卡。',
  smiCrashed: 'nvidia-smi 在运行时崩溃。',
  smiCrashedRemedy:
    '在 WSL 中请使用 /usr/lib/wsl/lib/nvidia-smi，不要用 Linux 驱动包安装的版本。其他系统请重装驱动。',
  fieldUnknown: '当前驱动不认识字段“{field}”。',
  fieldUnknownRemedy: '请去掉该字段，或升级驱动。',
  optionInvalid: 'nvidia-smi 不接受给出的参数：{reason}',
  optionInvalidRemedy: '请对照该驱动版本的“nvidia-smi --help”。',
  unifiedMemory: '{card} 号卡没有独立显存：它与系统共用内存。',
  unifiedMemoryRemedy:
    '总量、已用和可用都是主机内存的数值，其他程序占用的内存也会减少这里的可用量：请在主机上释放内存，或在规划时留出余量。',
  processesHidden: '驱动不向当前用户显示 {card} 号卡上的进程。',
  processesHiddenRemedy: '在容器中使用 MIG 时通常如此。请在宿主机上以 root 运行 nvidia-smi 查看。',
  nvlinkNotInMig: '{card} 号卡处于 MIG 模式，无法查询 NVLink。',
  nvlinkNotInMigRemedy: 'MIG 实例之间不能使用 NVLink；如需使用请关闭 MIG。',
  inputCut: '输出不完整，后面的内容缺失。',
  inputCutRemedy: '请重新保存完整输出，例如“nvidia-smi -q -x > 文件”。',
  inputDamaged: { other: '有 {count} 行无法识别，第一处在第 {line} 行。' },
  inputDamagedRemedy: '已显示能读出的内容。请重新保存输出，不要编辑或折行。',
  cardsMissing: '输出中写明有 {attached} 张卡，但只描述了 {listed} 张。',
  cardsMissingRemedy: '请查询全部显卡（不带“-i”）并保存完整输出。',
  headerMissing: '缺少列名所在的行，大部分数值无法区分。',
  headerMissingRemedy: '请去掉“noheader”后重新查询。',
} as const satisfies Matching<typeof english>;
