/** Whether a Python has what a plan needs, asked before the plan runs: a model that finds no card would fill the host's memory. */
import * as z from 'zod';

/** Imports nothing that is not there; PyTorch counts cards without opening a context on them. */
const script = [
  'import importlib.util, json, sys',
  'missing = [name for name in sys.argv[1:] if importlib.util.find_spec(name) is None]',
  'answer = {"missing": missing, "torch": None, "cards": None}',
  'if "torch" not in missing:',
  '    import torch',
  '    answer.update(torch=str(torch.__version__), cards=torch.cuda.device_count())',
  'print("headroom-preflight " + json.dumps(answer))',
].join('\n');

export const preflightArguments = (packages: readonly string[]): readonly string[] => [
  '-c',
  script,
  ...packages,
];

const answerSchema = z.object({
  missing: z.array(z.string().max(64)).max(32),
  torch: z.string().max(64).nullable(),
  cards: z.int().min(0).nullable(),
});

export type Preflight = Readonly<z.infer<typeof answerSchema>>;

/** The answer among whatever else was printed; null where there is none. */
export function readPreflight(text: string): Preflight | null {
  for (const line of text.split(/\r?\n/)) {
    const [, json] = /^headroom-preflight (\{.*\})$/.exec(line) ?? [];
    if (json === undefined) continue;
    try {
      return answerSchema.safeParse(JSON.parse(json)).data ?? null;
    } catch {
      return null; // Cut short: JSON.parse throws for nothing else.
    }
  }
  return null;
}
