import * as z from 'zod';

/** Characters of one file; a config.json that lists how every tensor is quantised has some three million. */
const mostCharacters = 4_000_000;

/** Names that Windows takes for a device whatever the ending: a file of that name writes to a port, or nowhere. */
const deviceNames = /^(con|prn|aux|nul|com\d|lpt\d)\./i;

/**
 * The files of a plan as the page hands them to main. Names are plain ones of the kinds that a plan has: no folder, no
 * hidden file, nothing that a desktop would start on a double click but the shell script.
 */
export const planFilesSchema = z
  .array(
    z.strictObject({
      name: z
        .string()
        .max(64)
        .regex(/^[A-Za-z][A-Za-z0-9_-]*\.(py|json|yaml|txt|md|sh|slurm)$/)
        .refine((name) => !deviceNames.test(name), { error: 'Windows takes this name for a device.' }),
      text: z.string().max(mostCharacters),
    }),
  )
  .min(1)
  .max(16)
  .refine((files) => new Set(files.map(({ name }) => name.toLowerCase())).size === files.length, {
    error: 'Two files have one name.',
  });

/** What became of saving. */
export type PlanSaved =
  | { readonly kind: 'saved'; readonly folder: string; readonly names: readonly string[] }
  /** No folder was chosen, or files that were there shall stay. */
  | { readonly kind: 'cancelled' };
