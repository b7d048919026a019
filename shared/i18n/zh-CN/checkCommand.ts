import type { checkCommand as english } from '../en/checkCommand';
import type { Matching } from '../matching';

export const checkCommand = {
  summary: '解析训练脚本、笔记本、shell 脚本或配置并检查。',
  rulesFlag: '列出规则',
  notChecked: '{file}：无法检查这种文件；应为 .py、.ipynb、.sh、.json 或 .yaml',
  none: '{file}：没有发现问题',
  error: '错误',
  warning: '警告',
  info: '提示',
} as const satisfies Matching<typeof english>;
