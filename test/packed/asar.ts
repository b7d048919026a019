import { closeSync, openSync, readSync } from 'node:fs';

interface Entry {
  readonly files?: Readonly<Record<string, Entry>>;
}

/** The names of all files in an archive of Electron's (https://github.com/electron/asar#format). */
export function filesInAsar(file: string): readonly string[] {
  const handle = openSync(file, 'r');
  try {
    const sizes = Buffer.alloc(16);
    readSync(handle, sizes, 0, 16, 0);
    const header = Buffer.alloc(sizes.readUInt32LE(12));
    readSync(handle, header, 0, header.length, 16);
    const root: unknown = JSON.parse(header.toString('utf8'));
    return namesBelow(root as Entry, '');
  } finally {
    closeSync(handle);
  }
}

function namesBelow(entry: Entry, folder: string): readonly string[] {
  return Object.entries(entry.files ?? {}).flatMap(([name, inner]) =>
    inner.files === undefined ? [`${folder}${name}`] : namesBelow(inner, `${folder}${name}/`),
  );
}
