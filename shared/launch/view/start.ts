/** What a person must know of a folder's files to start it: the command, and the memory settings that the plan counts on. */
import type { LaunchFile } from '../plan';

/** What `launch.sh` runs, without its own arguments; null where there is no such file. */
export function launchedCommand(files: readonly LaunchFile[]): string | null {
  const script = files.find(({ name }) => name === 'launch.sh');
  const line = script?.text.split('\n').find((text) => text.startsWith('exec '));
  return line === undefined ? null : line.slice('exec '.length).replace(/ "\$@"$/, '');
}

/** A setting of PyTorch's allocator in a file. */
export interface MemorySetting {
  readonly name: string;
  readonly value: string;
  readonly file: string;
  /** Counted from 0. */
  readonly line: number;
}

const settingPattern = /\b(PYTORCH_(?:CUDA_)?ALLOC_CONF)\b["']?\s*[=,:]\s*["']?([\w:.,[\]-]+)/;

/** Every line of the files that sets the allocator, in order. Texts for people and the plan itself are not looked at. */
export function memorySettings(files: readonly LaunchFile[]): readonly MemorySetting[] {
  return files
    .filter(({ name }) => /\.(?:py|sh|slurm|ya?ml)$/.test(name))
    .flatMap(({ name: file, text }) =>
      text.split('\n').flatMap((content, line): readonly MemorySetting[] => {
        const [, name, value] = settingPattern.exec(content) ?? [];
        return name === undefined || value === undefined ? [] : [{ name, value, file, line }];
      }),
    );
}
