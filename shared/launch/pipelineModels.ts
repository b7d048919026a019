/**
 * Model types (`model_type` in config.json) that the pipeline's script can cut into stages. Of each the two stages of a small model
 * were compared with the whole one: the same logits, and the same names of tensors (`test/real-card/compare_stages.py`).
 *
 * Not among them, and why: learned positions and scales are added to the embeddings and would be added again by later stages (GPT-2,
 * OPT, BERT, Granite); logits are scaled or capped after the head (Gemma 2, Cohere); tensors have other names in files than in the
 * model (GPT-NeoX, mixtures of experts).
 */
const cutModelTypes: ReadonlySet<string> = new Set([
  'exaone4',
  'falcon',
  'gemma',
  'gemma3_text',
  'glm',
  'glm4',
  'llama',
  'ministral',
  'mistral',
  'nemotron',
  'olmo',
  'olmo2',
  'olmo3',
  'persimmon',
  'phi',
  'phi3',
  'qwen2',
  'qwen3',
  'smollm3',
  'stablelm',
  'starcoder2',
]);

/** Whether `train.py` can cut models of this type into stages. */
export const canBeCut = (modelType: string | null): boolean =>
  modelType !== null && cutModelTypes.has(modelType);
