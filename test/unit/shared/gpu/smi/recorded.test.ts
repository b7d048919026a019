import { existsSync, readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import { describe, expect, test } from 'vitest';
import { z } from 'zod';
import { readOutput } from '../../../../../shared/gpu/smi/output';
import type { GpuReading } from '../../../../../shared/gpu/types';
import { MiB } from '../../../../../shared/units';
import { dataFolder } from '../../../../data';

const fixtures = path.resolve(import.meta.dirname, '../../../../fixtures/smi');

const cell = z.union([z.string(), z.number(), z.null()]);
const expectedReading = z.strictObject({
  file: z.string(),
  format: z.string(),
  driverVersion: z.string().nullable(),
  cudaVersion: z.string().nullable(),
  /** index, name, MiB total, used, free, reserved, utilisation, °C, W, limit W, bus id */
  cards: z.array(z.array(cell).length(11)),
  /** card, GPU instance, compute instance, profile, MiB total, used */
  mig: z.array(z.array(cell).length(6)),
  /** card, pid, type, the first 40 characters of the name, MiB */
  processes: z.array(z.array(cell).length(5)),
  links: z.number(),
  problems: z.array(z.string()),
});

const expected = readFileSync(path.join(fixtures, 'expected.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map((line) => expectedReading.parse(JSON.parse(line)));

const mib = (bytes: number | null) => (bytes === null ? null : bytes / MiB);

function summary(file: string, reading: GpuReading): z.infer<typeof expectedReading> {
  return {
    file,
    format: reading.format,
    driverVersion: reading.driverVersion,
    cudaVersion: reading.cudaVersion,
    cards: reading.cards.map((card) => [
      card.index,
      card.name,
      mib(card.memoryTotalBytes),
      mib(card.memoryUsedBytes),
      mib(card.memoryFreeBytes),
      mib(card.memoryReservedBytes),
      card.utilizationPercent,
      card.temperatureC,
      card.powerWatts,
      card.powerLimitWatts,
      card.pciBusId,
    ]),
    mig: reading.cards.flatMap((card) =>
      card.mig.map((slice) => [
        card.index,
        slice.gpuInstance,
        slice.computeInstance,
        slice.profile,
        mib(slice.memoryTotalBytes),
        mib(slice.memoryUsedBytes),
      ]),
    ),
    processes: reading.processes.map(({ gpuIndex, pid, type, name, usedBytes }) => [
      gpuIndex,
      pid,
      type,
      name === null ? null : name.slice(0, 40),
      mib(usedBytes),
    ]),
    links: reading.links.length,
    problems: reading.problems.map(({ code }) => code),
  };
}

const carried = expected.filter(({ file }) => existsSync(path.join(fixtures, file)));

describe('recorded outputs', () => {
  test('every fixture has its expected values', () => {
    const files = [
      ...readdirSync(fixtures).filter((file) => /\.(?:txt|csv|xml)$/.test(file)),
      ...readdirSync(path.join(fixtures, 'typed')).map((file) => `typed/${file}`),
    ];
    expect(carried.map(({ file }) => file).sort()).toEqual(files.sort());
    expect(carried.length).toBeGreaterThan(100);
  });

  test.each(carried.map((entry) => [entry.file, entry] as const))('%s', (file, entry) => {
    expect(summary(file, readOutput(readFileSync(path.join(fixtures, file), 'utf8')))).toEqual(entry);
  });

  test('the whole data folder, where it is present', () => {
    const folder = dataFolder();
    const files =
      folder === null ? [] : readdirSync(path.join(folder, 'smi')).filter((file) => file !== 'index.tsv');
    const read = files.map((file) =>
      summary(file, readOutput(readFileSync(path.join(folder ?? '', 'smi', file), 'utf8'))),
    );
    const known = read.flatMap(({ file }) => expected.filter((entry) => entry.file === file));
    expect(read.filter(({ file }) => known.some((entry) => entry.file === file))).toEqual(known);
  });
});
