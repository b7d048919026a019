/** What can be wrong with the cards or with what nvidia-smi printed: each with its remedy (`…Remedy`). */
export const problems = {
  driverMismatch: 'The NVIDIA driver was updated, but the kernel still runs the old module.',
  driverMismatchVersion:
    'The NVIDIA driver was updated to {libraryVersion}, but the kernel still runs the old module.',
  driverMismatchRemedy:
    'Reboot, or unload and load the nvidia kernel modules once no program uses the cards. Jobs that run now are not affected.',
  driverNotLoaded: 'nvidia-smi cannot reach the NVIDIA driver: its kernel module is not loaded.',
  driverNotLoadedRemedy:
    'Check with "lsmod | grep nvidia" and "dmesg | grep -i nvidia". After a kernel update, install the matching kernel headers, rebuild the module (DKMS) and reboot; with Secure Boot the module must be signed.',
  noDevices: 'The driver runs, but no NVIDIA card is visible.',
  noDevicesRemedy:
    'Check that "lspci" lists the card and what "dmesg | grep -i nvrm" says. In a container, start it with GPU access, for example "docker run --gpus all".',
  noSupportedDevices: 'The driver runs, but supports none of the cards in this machine.',
  noSupportedDevicesRemedy:
    'Install a driver version that supports the card; recent cards need the open kernel modules. A card that is passed through to a virtual machine cannot be seen here.',
  libraryMissing: 'The NVIDIA management library (NVML) is not installed or not found.',
  libraryMissingRemedy:
    'Install the NVIDIA driver package. In a container, start it with the NVIDIA container runtime and the "utility" driver capability.',
  commandMissing: 'nvidia-smi is not installed or not on the search path.',
  commandMissingRemedy:
    'Install the NVIDIA driver, or choose the nvidia-smi program in the settings. In a container, start it with GPU access.',
  cardLost: 'Card {card} has fallen off the bus and no longer answers.',
  cardLostRemedy:
    'Save what you can and reboot. If it happens again, look for Xid 79 in "dmesg" and check power cables, slot and cooling.',
  cardUnreachable: 'The driver cannot open card {card}.',
  cardUnreachableRemedy:
    'Look for Xid messages in "dmesg". The other cards can still be asked with "nvidia-smi -i". A reboot usually brings the card back.',
  cardPowerMissing: 'Card {card} does not get enough external power.',
  cardPowerMissingRemedy: 'Connect all of its power cables, then start the machine again.',
  cardNeedsReset: 'Card {card} has faulted and must be reset; its readings are not valid.',
  cardNeedsResetRemedy:
    'End the programs on this card, then run "sudo nvidia-smi --gpu-reset -i {card}" or reboot.',
  cardError: 'The driver answers with an error for some values of card {card}: {fields}.',
  cardErrorRemedy:
    'A single value may stay unknown on a healthy card. If most values are missing, look for Xid messages in "dmesg" and reset the card.',
  infoRomCorrupted: 'The information memory (infoROM) of card {card} is damaged.',
  infoRomCorruptedRemedy:
    'The card works on, but settings and error counts may be lost. Have the card checked or replaced by its vendor.',
  noPermission: 'The NVIDIA driver refuses access: insufficient permissions.',
  noPermissionRemedy:
    'Check who may read /dev/nvidia*, and SELinux or AppArmor rules; in a container, the devices it was given.',
  nvmlUnknownError: 'The NVIDIA driver answers with an unknown error.',
  nvmlUnknownErrorRemedy:
    'In a container this means that it has lost its devices: restart the container. On the host, look for Xid messages in "dmesg" and reboot.',
  nvmlFailed: 'The NVIDIA management library could not start: {reason}',
  nvmlFailedRemedy: 'Check the driver with "dmesg | grep -i nvrm", reinstall it if needed, and reboot.',
  wslBlocked: 'Windows does not give the card to this WSL system.',
  wslBlockedRemedy:
    'Install the current NVIDIA driver on Windows (none inside WSL), run "wsl --update" and "wsl --shutdown", and use /usr/lib/wsl/lib/nvidia-smi.',
  containerRuntime: 'The container could not be given the cards: {reason}',
  containerRuntimeRemedy:
    'Install the NVIDIA container toolkit on the host, run "sudo nvidia-ctk runtime configure", restart the container service, and check that nvidia-smi works on the host.',
  requestRefused: 'nvidia-smi could not do what it was asked: {reason}',
  requestRefusedRemedy:
    'Most changes need root, and no program may use the card while its MIG mode changes or it is reset.',
  smiCrashed: 'nvidia-smi crashed while it ran.',
  smiCrashedRemedy:
    'In WSL use /usr/lib/wsl/lib/nvidia-smi instead of one installed by a Linux driver package. Elsewhere reinstall the driver.',
  fieldUnknown: 'This driver does not know the field "{field}".',
  fieldUnknownRemedy: 'Leave the field out, or update the driver.',
  optionInvalid: 'nvidia-smi refused its arguments: {reason}',
  optionInvalidRemedy: 'Compare them with "nvidia-smi --help" of this driver version.',
  unifiedMemory: 'Card {card} has no memory of its own: it shares the memory of the system.',
  unifiedMemoryRemedy:
    'Total, used and free are those of host memory, so what other programs take is missing here as well: free it there, or leave it room when you plan.',
  processesHidden: 'The driver hides the processes of card {card} from this user.',
  processesHiddenRemedy:
    'This is usual for MIG inside a container. Run nvidia-smi on the host, as root, to see them.',
  nvlinkNotInMig: 'NVLink cannot be queried while card {card} is in MIG mode.',
  nvlinkNotInMigRemedy: 'Links are not usable between MIG devices; switch MIG off to use them.',
  inputCut: 'The output ends too early; what comes after is missing.',
  inputCutRemedy: 'Save the whole output again, for example with "nvidia-smi -q -x > file".',
  inputDamaged: {
    one: '{count} line could not be understood, the first is line {line}.',
    other: '{count} lines could not be understood, the first is line {line}.',
  },
  inputDamagedRemedy: 'What could be read is shown. Save the output again without editing or wrapping it.',
  cardsMissing: 'The output names {attached} cards but describes {listed}.',
  cardsMissingRemedy: 'Ask for all cards (without "-i") and save the whole output.',
  headerMissing: 'The line with the column names is missing, so most values cannot be told apart.',
  headerMissingRemedy: 'Ask again without "noheader".',
} as const;
