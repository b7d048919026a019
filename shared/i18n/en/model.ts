/** Reading a model's config.json, and the catalogue of models. */
export const model = {
  notJson: 'This is not JSON: it breaks at character {position:n}. A Hugging Face config.json is expected.',
  notObject: 'A Hugging Face config.json is expected: one JSON object.',
  empty: 'The file is empty. A Hugging Face config.json is expected.',
  notTransformer:
    'This is not the config of a transformers model: it has neither "model_type" nor "architectures" nor the usual sizes; "{field}" is missing.',
  diffusers:
    'This is the config of a diffusers part ({className}), not of a transformers model. Only transformers models can be read.',
  fieldMissing: 'The config has no "{field}", which is needed to know the size of the model.',
  expectedWhole: '"{field}" should be a whole number from 1 up, but is {found}.',
  expectedAtMost: '"{field}" should be a whole number from 1 to {limit}, but is {found}.',
  sizesDisagree: 'The sizes in the config do not fit together: "{tensor}" would have the shape {shape}.',
  headsDisagree:
    'The sizes in the config do not fit together: {heads} attention heads cannot share {keyValueHeads} key and value heads evenly.',
  listTooShort: 'The list "{field}" is too short: it has {listed:n} of {layers:n} layers.',
  tooLarge: 'The config describes more parameters than can be counted exactly; no model has so many.',
  tooManyTensors: 'The config describes more than {limit} tensors; no model has so many.',
  expectedNumber: '"{field}" should be a number, but is {found}.',
  expectedFlag: '"{field}" should be true or false, but is {found}.',
  expectedText: '"{field}" should be a text, but is {found}.',
  expectedList: '"{field}" should be a list, but is {found}.',
  expectedObject: '"{field}" should be an object with fields of its own, but is {found}.',
  expectedLayerKind: '"{field}" names a kind of layer that is not known: {found}.',
  unknownType: 'Models of type "{modelType}" cannot be read yet, and its config has no "{field}".',
  unknownMixer:
    'Models of type "{modelType}" cannot be read yet: "{field}" tells of layers that are no ordinary attention.',
  unknownMixerWithoutType:
    'The config names no model type, and "{field}" tells of layers that are no ordinary attention. It cannot be read yet.',
  unknownParts:
    'Models of type "{modelType}" cannot be read yet: "{field}" tells of parts that no plain encoder or decoder has.',
  crossAttention:
    'This decoder attends to the output of another model ("add_cross_attention"), which the config does not describe. It cannot be read alone.',
  trailingText: 'There is text after the end of the config; it was ignored.',
  nearest: 'The type "{modelType}" is not known; the model was read as "{family}", whose fields it has.',
  nearestWithoutType:
    'The config names no model type; the model was read as "{family}", whose fields it has.',
  unknownClass: 'The class "{className}" is not known; the model was counted without what it adds.',
  layersDisagree:
    '"{field}" says {found} layers, but {listed} are listed in "{listField}"; the list was taken.',
  quantized:
    'The published weights are quantised ({method}); the parameters of the model itself are counted.',
  predictionLayers: {
    one: 'The layer for predicting further tokens is not part of this class and is not counted.',
    other: 'The {count} layers for predicting further tokens are not part of this class and are not counted.',
  },
  textOnly: 'Only the language model was read; the other parts of "{modelType}" are not known.',
  partUnknown: 'The part "{part}" is of a type that is not known ("{modelType}"); it was left out.',
  unknownId:
    'There is no file and no catalogue entry "{id}". "headroom model --list" shows the models that have a name.',
  unknownIdNear:
    'There is no file and no catalogue entry "{id}"; did you mean "{near}"? "headroom model --list" shows them all.',
  commandSummary:
    'Read a model: its class, layers and exact number of parameters, from a config.json or by name.',
  flagList: 'list the models that have a name',
  textClass: 'Class: {architecture}, read as "{family}"',
  textParameters: { one: '{count} parameter', other: '{count} parameters' },
  textSizes: 'Layers: {layers}, hidden size: {hiddenSize}',
  textSizesWithVocabulary: 'Layers: {layers}, hidden size: {hiddenSize}, vocabulary: {vocabularySize}',
  refused: '{file}: {reason}',
} as const;
