import { readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, it } from 'vitest';
import { readSaved } from '../../../../../shared/gpu/smi/saved';
import { MiB } from '../../../../../shared/units';

const folder = path.resolve(import.meta.dirname, '../../../../fixtures/inspect');
const read = (name: string) => readSaved(readFileSync(path.join(folder, name), 'utf8'));
const mib = (bytes: number | null): number | null => (bytes === null ? null : bytes / MiB);

const briefly = (text: ReturnType<typeof read>) => ({
  format: text.format,
  driver: text.driverVersion,
  cards: text.cards.map(({ index, name, memoryUsedBytes, memoryTotalBytes }) => [
    index,
    name,
    mib(memoryUsedBytes),
    mib(memoryTotalBytes),
  ]),
  processes: text.processes.map(({ pid, usedBytes }) => [pid, mib(usedBytes)]),
  problems: text.problems.map(({ code }) => code),
});

const table = {
  driver: '580.65.06',
  cards: [[0, 'NVIDIA GeForce RTX 3090', 9000, 24576]],
  processes: [[1234, 8990]],
};

describe('pastes that were once not read', () => {
  it('a MIG card without a memory of its own to tell is no unified memory', () => {
    const { cards, problems } = briefly(read('i01-mig-card-memory-na.txt'));
    expect(cards).toEqual([[0, 'NVIDIA H100', null, null]]);
    expect(problems).not.toContain('unified-memory');
  });

  it.each(['i02-compose-prefix.txt', 'i03-notebook-json.txt', 'i05-comment-hash.txt'])(
    '%s is a table in a wrapper',
    (name) => expect(briefly(read(name))).toMatchObject(table),
  );

  it('processes without a header are processes', () => {
    expect(briefly(read('i10-apps-pid-name-uuid-mem.txt'))).toMatchObject({
      format: 'csv-apps',
      cards: [],
      processes: [
        [1201, 550],
        [1202, 47594],
      ],
    });
    expect(briefly(read('i11-apps-pid-name-mem.txt'))).toMatchObject({
      format: 'csv-apps',
      cards: [],
      processes: [
        [1201, 550],
        [312710, null],
      ],
    });
  });

  it('several outputs in one paste are merged', () => {
    const instances = read('i13-mig-lgi-then-table.txt');
    expect(briefly(instances)).toMatchObject(table);
    expect(instances.cards[0]?.mig.map(({ gpuInstance }) => gpuInstance)).toEqual([3]);
    expect(briefly(read('i14-csv-then-pmon.txt'))).toMatchObject({
      cards: [[0, 'NVIDIA A10G', 22403, 23028]],
      processes: [[1234, null]],
    });
    const list = read('i16-list-then-cut-table.txt');
    expect(list.driverVersion).toBe('535.216.01');
    expect(list.cards.map(({ name, mig }) => [name, mig.map(({ profile }) => profile)])).toEqual([
      ['NVIDIA A100-SXM4-80GB', ['1g.10gb']],
    ]);
  });

  it.each([
    'bash: nvidia-smi: orden no encontrada',
    'bash: nvidia-smi：未找到命令',
    'bash: nvidia-smi: Befehl nicht gefunden.',
    'bash: nvidia-smi : commande introuvable',
    '-bash: nvidia-smi: command not found',
    'bash: line 1: nvidia-smi: command not found',
    'bash: Zeile 1: nvidia-smi: Kommando nicht gefunden.',
    'bash: nvidia-smi: comando não encontrado',
    'bash: nvidia-smi: comando non trovato',
    'bash: nvidia-smi: команда не найдена',
    'bash: nvidia-smi: コマンドが見つかりません',
    'bash: nvidia-smi: 명령을 찾을 수 없습니다',
    'zsh: command not found: nvidia-smi',
    'fish: Unknown command: nvidia-smi',
    'sh: 1: nvidia-smi: not found',
    'Der Befehl "nvidia-smi" ist entweder falsch geschrieben oder konnte nicht gefunden werden.',
    "'nvidia-smi' n'est pas reconnu en tant que commande interne ou externe,",
    '"nvidia-smi" no se reconoce como un comando interno o externo,',
    "'nvidia-smi' 不是内部或外部命令，也不是可运行的程序",
    "nvidia-smi : The term 'nvidia-smi' is not recognized as the name of a cmdlet, function, script file",
    'nvidia-smi : Die Benennung "nvidia-smi" wurde nicht als Name eines Cmdlet, einer Funktion erkannt.',
  ])('%s', (text) => {
    expect(briefly(readSaved(text))).toMatchObject({ format: 'error', problems: ['command-missing'] });
  });

  it('a program that may not be run is there', () => {
    expect(briefly(readSaved('bash: nvidia-smi: Permission denied')).problems).toEqual(['no-permission']);
  });

  it('the table of virtual cards gives the card they are on', () => {
    const { cards, problems } = read('i18-vgpu-table.txt');
    expect(cards.map(({ index, name, utilizationPercent }) => [index, name, utilizationPercent])).toEqual([
      [0, 'NVIDIA A40', 12],
    ]);
    expect(problems).toEqual([]);
  });

  it.each([
    [
      '$ ',
      '--query-gpu=index,name,memory.used,memory.total --format=csv,noheader',
      '0, NVIDIA GeForce RTX 3090, 17731 MiB, 24576 MiB',
    ],
    ['root@box:~# ', '--query-gpu=memory.used,memory.total --format=csv,noheader,nounits', '17731, 24576'],
    [
      'PS C:\\Users\\me> ',
      '--query-gpu=memory.total,index,memory.used --format=csv,noheader',
      '24576 MiB, 0, 17731 MiB',
    ],
  ])('the call behind %j names the columns', (prompt, call, row) => {
    const { cards } = briefly(readSaved(`${prompt}nvidia-smi ${call}\n${row}\n`));
    expect(cards.map(([index, , used, total]) => [index, used, total])).toEqual([[0, 17731, 24576]]);
  });

  it('prompts and fences are no damage', () => {
    expect(briefly(read('i21-prompt-counts-as-damage.txt')).problems).toEqual([]);
    expect(
      briefly(
        readSaved(
          '```\n$ nvidia-smi pmon -c 1\n# gpu pid type command\n# Idx # C/G name\n 0 7 C python\n```\n',
        ),
      ),
    ).toMatchObject({ processes: [[7, null]], problems: [] });
  });

  it('a refused reset and a pending MIG mode are refused requests', () => {
    expect(briefly(read('i22-reset-refused.txt'))).toMatchObject({
      format: 'error',
      problems: ['request-refused'],
    });
    expect(
      briefly(
        readSaved(
          'Warning: MIG mode is in pending enable state for GPU 00000000:07:00.0:In use by another client',
        ),
      ),
    ).toMatchObject({ format: 'error', problems: ['request-refused'] });
  });
});
