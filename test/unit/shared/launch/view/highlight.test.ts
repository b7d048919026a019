import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { type CodeLine, highlightedLines } from '../../../../../shared/launch/view/highlight';
import { launchedCommand, memorySettings } from '../../../../../shared/launch/view/start';
import { launchFolder } from '../../../../../shared/launch/folder';
import { variants } from '../variants';

const shown = (line: CodeLine | undefined) =>
  (line ?? []).map(({ style, text }) => (style === 'plain' ? text : `<${style}:${text}>`)).join('');
const lines = (name: string, text: string) => highlightedLines({ name, text }).map(shown);

describe('coloured lines', () => {
  it('of Python', () => {
    expect(
      lines(
        'train.py',
        [
          'import torch  # first',
          '"""Two',
          'lines."""',
          'def step(x, n=2.5):',
          '    return f"{x} of {n}" if n is not None else None',
        ].join('\n'),
      ),
    ).toEqual([
      '<keyword:import> torch  <comment:# first>',
      '<string:"""Two>',
      '<string:lines.""">',
      '<keyword:def> <name:step>(x, n=<number:2.5>):',
      '    <keyword:return> <string:f"{x} of {n}"> <keyword:if> n <keyword:is> <keyword:not> <keyword:None> <keyword:else> <keyword:None>',
    ]);
  });

  it('of JSON, YAML, shell and requirements', () => {
    expect(lines('deepspeed.json', '  "stage": 2, "on": [true, -1.5e3, "a"]')).toEqual([
      '  <name:"stage">: <number:2>, <name:"on">: [<keyword:true>, <number:-1.5e3>, <string:"a">]',
    ]);
    expect(lines('accelerate.yaml', "num_processes: 2 # all\nmixed_precision: 'no'")).toEqual([
      '<name:num_processes>: <number:2> <comment:# all>',
      "<name:mixed_precision>: <string:'no'>",
    ]);
    expect(lines('launch.sh', '#!/usr/bin/env bash\nexec torchrun "$head:1" train.py')).toEqual([
      '<comment:#!/usr/bin/env bash>',
      '<keyword:exec> torchrun <string:"$head:1"> train.py',
    ]);
    expect(lines('requirements.txt', 'torch==2.11.0')).toEqual(['torch<number:==2.11.0>']);
    expect(lines('README.md', '# Title\nrun `x`')).toEqual(['<name:# Title>', 'run <string:`x`>']);
    expect(lines('notes.txt', 'def x')).toEqual(['def x']);
  });

  it('lose nothing of any text', () => {
    const names = ['train.py', 'a.json', 'a.yaml', 'a.sh', 'requirements.txt', 'README.md', 'x'];
    fc.assert(
      fc.property(fc.constantFrom(...names), fc.string({ unit: 'grapheme' }), (name, text) => {
        const joined = highlightedLines({ name, text })
          .map((line) => line.map((piece) => piece.text).join(''))
          .join('\n');
        expect(joined).toBe(text);
      }),
    );
  });

  it('of every file that is written are those files', () => {
    for (const plan of Object.values(variants))
      for (const file of launchFolder(plan, 'en'))
        expect(
          highlightedLines(file)
            .map((line) => line.map((piece) => piece.text).join(''))
            .join('\n'),
        ).toBe(file.text);
  });
});

describe('how it is started', () => {
  it('is what launch.sh runs', () => {
    const commands = new Set(
      Object.values(variants).map((plan) => launchedCommand(launchFolder(plan, 'en'))),
    );
    expect(commands).toContain('python3 train.py');
    expect(commands).toContain('torchrun --standalone --nproc-per-node=2 train.py');
    expect(commands).not.toContain(null);
    expect(launchedCommand([])).toBeNull();
  });

  it('names the memory settings that the plan counts on, with their lines', () => {
    for (const plan of Object.values(variants)) {
      const files = launchFolder(plan, 'zh-CN');
      const settings = memorySettings(files);
      expect(settings.map(({ file, name, value }) => [file, name, value])).toEqual(
        plan.expandableSegments ? [['train.py', 'PYTORCH_CUDA_ALLOC_CONF', 'expandable_segments:True']] : [],
      );
      for (const { file, line } of settings)
        expect(files.find(({ name }) => name === file)?.text.split('\n')[line]).toContain('ALLOC_CONF');
    }
  });

  it('reads settings of shells and configurations', () => {
    const text = 'export PYTORCH_ALLOC_CONF=expandable_segments:True,max_split_size_mb:128';
    expect(memorySettings([{ name: 'x.sh', text }])).toEqual([
      {
        name: 'PYTORCH_ALLOC_CONF',
        value: 'expandable_segments:True,max_split_size_mb:128',
        file: 'x.sh',
        line: 0,
      },
    ]);
    expect(memorySettings([{ name: 'README.md', text }])).toEqual([]);
  });
});
