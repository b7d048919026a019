import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { catalogue } from '../../../../shared/model/catalogue/catalogue';
import { configText } from '../../../../shared/model/catalogue/configText';

/** The fields that each type's config class in transformers 5.17 declares as decimal numbers and nothing else. */
const decimalFields = z
  .record(z.string(), z.array(z.string()))
  .parse(
    JSON.parse(
      readFileSync(
        path.resolve(import.meta.dirname, '../../../fixtures/configs/decimal-fields.json'),
        'utf8',
      ),
    ),
  );

describe('the text of a catalogue config', () => {
  it('writes a decimal number with its point, whole as it may be, and counts without', () => {
    const config = { final_logit_softcapping: 30, head_dim: 256, rms_norm_eps: 1e-6, list: [1] };
    expect(configText({ config })).toBe(
      '{\n  "final_logit_softcapping": 30.0,\n  "head_dim": 256,\n  "rms_norm_eps": 0.000001,\n  "list": [\n    1\n  ]\n}',
    );
  });

  it('holds no whole number where transformers takes decimals only', () => {
    const refused = catalogue.flatMap((entry) => {
      const text = configText(entry);
      const fields = decimalFields[String(entry.config.model_type)] ?? [];
      return fields.filter((name) => new RegExp(`"${name}": -?\\d+,?$`, 'm').test(text));
    });
    expect(refused).toEqual([]);
  });

  it('is the same config when it is read back', () => {
    for (const entry of catalogue) expect(JSON.parse(configText(entry))).toEqual(entry.config);
  });
});
