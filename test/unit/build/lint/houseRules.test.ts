import { RuleTester } from 'eslint';
import { parser } from 'typescript-eslint';
import { describe, expect, it } from 'vitest';
import { commentPathsRule, pathsIn } from '../../../../build/lint/commentPaths.mjs';
import { layers, layersRule } from '../../../../build/lint/layers.mjs';
import { textDecisionsRule } from '../../../../build/lint/textDecisions.mjs';
import { uniqueTypesRule } from '../../../../build/lint/uniqueTypes.mjs';

RuleTester.describe = describe;
RuleTester.it = it;

const tester = new RuleTester({ languageOptions: { parser } });
const typed = new RuleTester({
  languageOptions: {
    parser,
    parserOptions: {
      project: 'shared/tsconfig.json',
      // Under CI=true the parser would take each file as it is on disk instead of the code given here.
      disallowAutomaticSingleRunInference: true,
      tsconfigRootDir: process.cwd(),
    },
  },
});

const rows = [
  { units: { folders: [] }, gpu: { folders: ['units'], packages: ['yaml'] }, jobs: { folders: ['gpu'] } },
];

tester.run('an import against the layers', layersRule, {
  valid: [
    { filename: 'shared/jobs/a.ts', code: "import { card } from '../gpu/card';", options: rows },
    { filename: 'shared/jobs/deep/a.ts', code: "import { b } from '../b';", options: rows },
    { filename: 'shared/jobs/a.ts', code: "import { formatBytes } from '../units';", options: rows },
    { filename: 'shared/gpu/a.ts', code: "import { parse } from 'yaml';", options: rows },
    { filename: 'electron/a.ts', code: "import { job } from '../shared/jobs/job';", options: rows },
  ],
  invalid: [
    {
      filename: 'shared/gpu/smi/a.ts',
      code: "import type { Job } from '../../jobs/types';",
      options: rows,
      errors: [
        {
          message:
            'shared/gpu may not import shared/jobs: build/lint/layers.mjs lists what each folder of shared/ stands on.',
        },
      ],
    },
    {
      filename: 'shared/jobs/a.ts',
      code: "export { parse } from 'yaml';",
      options: rows,
      errors: [{ messageId: 'package' }],
    },
    {
      filename: 'shared/novel/a.ts',
      code: "import './b';",
      options: rows,
      errors: [{ messageId: 'unknown' }],
    },
  ],
});

tester.run('a comment that names a file', commentPathsRule, {
  valid: [
    { filename: 'shared/units.ts', code: '// Read shared/units.ts and test/fixtures first.' },
    {
      filename: 'shared/units.ts',
      code: '/** As layers.mjs and lint/layers.mjs say, e.g. and/or, 1.5 and i.e. */',
    },
    { filename: 'shared/units.ts', code: '// https://github.com/pytorch/pytorch/blob/main/build/gone.mjs' },
    { filename: 'shared/units.ts', code: "const text = 'shared/never.ts';" },
  ],
  invalid: [
    {
      filename: 'shared/units.ts',
      code: '// See shared/never/was.ts.',
      errors: [{ message: 'This comment names shared/never/was.ts, which does not exist.' }],
    },
    {
      filename: 'shared/units.ts',
      code: '/* neverWas.svelte.ts does it */',
      errors: [{ messageId: 'missing' }],
    },
  ],
});

tester.run('a second exported type of one name', uniqueTypesRule, {
  valid: [
    { filename: 'shared/i18n/message.ts', code: 'export interface Message { readonly key: string }' },
    { filename: 'shared/other.ts', code: 'interface Message { readonly key: string }' },
  ],
  invalid: [
    {
      filename: 'renderer/other.ts',
      code: 'export type Message = string;',
      errors: [{ message: 'Message is exported by shared/i18n/message.ts, too: one name is one type.' }],
    },
  ],
});

tester.run('a decision by a text key, in Svelte', textDecisionsRule, {
  valid: ["if (event.key === 'Enter') go();", 'const { key } = text;'],
  invalid: [
    { code: "if (problem.message.key === 'problems.cardLost') go();", errors: [{ messageId: 'decides' }] },
  ],
});

typed.run('a decision by a text, in TypeScript', textDecisionsRule, {
  valid: [
    {
      filename: 'shared/units.ts',
      code: "declare const pressed: { key: string }; pressed.key === 'problems.x';",
    },
  ],
  invalid: [
    {
      filename: 'shared/units.ts',
      code: "import type { Message } from './i18n/message'; declare const text: Message; const bus = text.values['bus']; const name = text?.key;",
      errors: [{ messageId: 'decides' }, { messageId: 'decides' }],
    },
  ],
});

describe('the paths that a comment names', () => {
  it('are read without the punctuation around them', () => {
    expect(pathsIn('(`shared/a/b.ts`), electron/main.ts: not test/NAME.ts.')).toEqual([
      'shared/a/b.ts',
      'electron/main.ts',
    ]);
  });
});

describe('the layers', () => {
  it('name as standing on rows above only rows that are above, and the rest as upward', () => {
    const names = Object.keys(layers);
    for (const [name, { folders, upward = [] }] of Object.entries(layers)) {
      const at = names.indexOf(name);
      expect(folders.filter((folder) => !names.slice(0, at).includes(folder))).toEqual([]);
      expect(upward.filter((folder) => !names.slice(at + 1).includes(folder))).toEqual([]);
    }
  });
});
