import type { cli as english } from '../en/cli';
import type { Matching } from '../matching';

export const cli = {
  overviewUsage: '用法：headroom 命令 [--…]',
  overviewAbout: '查看哪张卡会先满、什么配置放得下，以及哪些进程白占着显存。',
  overviewMore: '`headroom 命令 --help` 查看该命令的说明。',
  commandUsage: '用法：{usage}',
  exitCodes: '退出码：0 完成，1 结果为否，2 用法错误或输入无法读取。',
  flagJson: '在标准输出上只打印一个 JSON 值',
  flagHelp: '显示本说明',

  unknownCommand: '没有名为“{command}”的命令；`headroom --help` 列出所有命令',
  unknownCommandNear: '没有名为“{command}”的命令；是否想输入“{near}”？',
  unknownFlag: '没有选项 {flag}；--help 列出所有选项',
  unknownFlagNear: '没有选项 {flag}；是否想输入 {near}？',
  flagTwice: '{flag} 出现了两次；只能给一次',
  switchWithValue: '{flag} 不带值',
  valueMissing: '{flag} 缺少值：{placeholder}',
  extraArgument: '多余的参数“{argument}”',
  argumentMissing: '缺少 {argument}',
  badChoice: '{flag}：“{value}”不在可选值之内：{choices}',
  badInteger: '{flag}：“{value}”不是 {min} 到 {max} 之间的整数',
  badNumber: '{flag}：“{value}”不是 {min} 到 {max} 之间的数',
  fileMissing: '{file}：文件不存在；应为可读的文件，或用 - 表示标准输入',
  fileIsFolder: '{file}：这是文件夹；应为文件',
  fileDenied: '{file}：没有读取权限；应为你有权读取的文件',
  fileTooLarge: '{file}：文件太大；最多 {limit:bytes}',
  fileUnreadable: '{file}：无法读取（{reason}）',
  internalFault: '程序内部错误，请反馈：{reason}',

  inspectSummary: '读取保存下来的 nvidia-smi 输出：显卡、进程、互连和问题。',
  inspectUnknown: '{file}：不是 nvidia-smi 的输出；应为它的表格、查询结果、XML 或报错信息',
} as const satisfies Matching<typeof english>;
