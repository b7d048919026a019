import type { CatalogueEntry } from './entry';

/**
 * Fields that transformers takes as decimal numbers only: its configs refuse `30` where `30.0` was published, and JavaScript tells the
 * two apart no more. https://github.com/huggingface/transformers/blob/v5.17.0/src/transformers/models/gemma2/configuration_gemma2.py
 */
const decimalFields: ReadonlySet<string> = new Set([
  'attn_logit_softcapping',
  'decoder_layerdrop',
  'embedding_fraction',
  'encoder_layerdrop',
  'final_logit_softcapping',
  'router_jitter_noise',
]);

/** The text of an entry's config.json, which transformers can build the model from. */
export function configText({ config }: Pick<CatalogueEntry, 'config'>): string {
  return JSON.stringify(config, null, 2).replace(
    /^( *"(\w+)": -?\d+)(?=,?$)/gm,
    (whole: string, field: string, name: string) => (decimalFields.has(name) ? `${field}.0` : whole),
  );
}
