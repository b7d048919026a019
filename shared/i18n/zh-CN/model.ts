import type { model as english } from '../en/model';
import type { Matching } from '../matching';

export const model = {
  notJson: '这不是 JSON：在第 {position:n} 个字符处无法解析。这里需要 Hugging Face 的 config.json。',
  notObject: '这里需要 Hugging Face 的 config.json：一个 JSON 对象。',
  empty: '文件是空的。这里需要 Hugging Face 的 config.json。',
  notTransformer:
    '这不是 transformers 模型的配置：既没有 "model_type" 和 "architectures"，也没有常见的尺寸字段；缺少 "{field}"。',
  diffusers: '这是 diffusers 组件（{className}）的配置，不是 transformers 模型。只能读取 transformers 模型。',
  fieldMissing: '配置里没有 "{field}"，而计算模型大小需要它。',
  expectedWhole: '"{field}" 应为不小于 1 的整数，实际是 {found}。',
  expectedAtMost: '"{field}" 应为 1 到 {limit} 之间的整数，实际是 {found}。',
  sizesDisagree: '配置中的尺寸互相矛盾："{tensor}" 的形状会是 {shape}。',
  tooManyTensors: '配置描述了超过 {limit} 个张量，没有模型会有这么多。',
  expectedNumber: '"{field}" 应为数字，实际是 {found}。',
  expectedFlag: '"{field}" 应为 true 或 false，实际是 {found}。',
  expectedText: '"{field}" 应为文本，实际是 {found}。',
  expectedList: '"{field}" 应为列表，实际是 {found}。',
  expectedObject: '"{field}" 应为带有自身字段的对象，实际是 {found}。',
  expectedLayerKind: '"{field}" 中有不认识的层类型：{found}。',
  unknownType: '暂时无法读取 "{modelType}" 类型的模型，它的配置里也没有 "{field}"。',
  unknownMixer: '暂时无法读取 "{modelType}" 类型的模型："{field}" 表明其中有非普通注意力的层。',
  unknownMixerWithoutType: '配置没有写明模型类型，而 "{field}" 表明其中有非普通注意力的层，暂时无法读取。',
  unknownParts: '暂时无法读取 "{modelType}" 类型的模型："{field}" 表明其中有普通编码器或解码器没有的部分。',
  crossAttention:
    '这个解码器会关注另一个模型的输出（"add_cross_attention"），而配置没有描述那个模型，因此无法单独读取。',
  trailingText: '配置结束之后还有文本，已忽略。',
  nearest: '不认识的类型 "{modelType}"；由于字段相同，按 "{family}" 读取。',
  nearestWithoutType: '配置没有写明模型类型；由于字段相同，按 "{family}" 读取。',
  unknownClass: '不认识的类 "{className}"；未计入它额外添加的部分。',
  layersDisagree: '"{field}" 写的是 {found} 层，而 "{listField}" 列出了 {listed} 层；以列表为准。',
  quantized: '发布的权重经过量化（{method}）；这里统计的是模型本身的参数量。',
  predictionLayers: {
    other: '用于预测后续 token 的 {count} 个层不属于这个类，未计入。',
  },
  textOnly: '只读取了语言模型；"{modelType}" 的其他部分未知。',
  partUnknown: '"{part}" 部分的类型未知（"{modelType}"），已略过。',
  unknownId: '没有名为 "{id}" 的文件，目录里也没有这个模型。用 "headroom model --list" 查看有名称的模型。',
  unknownIdNear:
    '没有名为 "{id}" 的文件，目录里也没有这个模型；是不是 "{near}"？用 "headroom model --list" 查看全部。',
  commandSummary: '读取模型：从 config.json 或按名称给出它的类、层数和精确的参数量。',
  flagList: '列出有名称的模型',
  textClass: '类：{architecture}，按 "{family}" 读取',
  textParameters: { other: '参数量：{count}' },
  textSizes: '层数：{layers}，隐藏维度：{hiddenSize}',
  textSizesWithVocabulary: '层数：{layers}，隐藏维度：{hiddenSize}，词表大小：{vocabularySize}',
  refused: '{file}：{reason}',
} as const satisfies Matching<typeof english>;
