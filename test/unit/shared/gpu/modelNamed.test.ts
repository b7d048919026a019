import { describe, expect, it } from 'vitest';
import { gpuModelNamed } from '../../../../shared/gpu/modelNamed';
import { gpuModels } from '../../../../shared/gpu/models';

describe('a card by its name', () => {
  it.each([
    ['NVIDIA GeForce RTX 3090', 'RTX 3090'],
    ['rtx3090', 'RTX 3090'],
    ['NVIDIA GeForce RTX 4070 Ti', 'RTX 4070 Ti'],
    ['A100-80GB', 'A100'],
    ['NVIDIA A100-SXM4-80GB', 'A100'],
    ['NVIDIA A10G', 'A10G'],
    ['NVIDIA A40-48Q', 'A40'],
    ['Tesla T4', 'T4'],
    ['NVIDIA RTX 6000 Ada Generation', 'RTX 6000 Ada'],
    ['NVIDIA RTX PRO 6000 Blackwell Workstation Edition', 'RTX PRO 6000'],
    ['NVIDIA RTX PRO 5000 Blackwell', 'RTX PRO 5000'],
    ['NVIDIA H200', 'H200'],
    ['RTX4090', 'RTX 4090'],
    ['4090', 'RTX 4090'],
    ['4090-24GB', 'RTX 4090'],
    ['3080ti', 'RTX 3080 Ti'],
    ['GeForce RTX 3090', 'RTX 3090'],
    ['GeForce 1080 Ti', 'GTX 1080 Ti'],
    ['A6000', 'RTX A6000'],
    ['NVIDIA RTX A6000', 'RTX A6000'],
    ['A6000 Ada', 'RTX 6000 Ada'],
    ['RTX 6000 Ada', 'RTX 6000 Ada'],
    ['Quadro RTX 6000', 'Quadro RTX 6000'],
    ['8xH100', 'H100'],
    ['H100 PCIe', 'H100 PCIe'],
    ['GH200 480GB', 'GH200'],
  ])('%s is known', (name, known) => {
    expect(gpuModelNamed(name)).toMatchObject({ known: true, nearest: known });
  });

  it.each([
    ['NVIDIA RTX A4000', 'RTX 3080'],
    ['NVIDIA RTX A1000', 'RTX 3080'],
    ['NVIDIA RTX A3000 Laptop GPU', 'RTX 3080'],
    ['NVIDIA A2', 'RTX 3080'],
    ['NVIDIA A16', 'RTX 3080'],
    ['Quadro P1000', 'GTX 1080'],
    ['NVIDIA T400 4GB', 'RTX 2080'],
    ['Quadro RTX 5000', 'RTX 2080'],
    ['Quadro RTX 4000', 'RTX 2080'],
    ['NVIDIA RTX 5000 Ada Generation', 'RTX 4080'],
    ['NVIDIA RTX 4000 SFF Ada Generation', 'RTX 4080'],
    ['NVIDIA RTX PRO 3000 Blackwell', 'RTX 5080'],
    ['NVIDIA GeForce RTX 5060', 'RTX 5080'],
    ['A4000', 'RTX 3080'],
    ['NVIDIA GeForce RTX 4090 Laptop GPU', 'RTX 4080'],
    ['NVIDIA RTX PRO 5000 Blackwell Laptop GPU', 'RTX 5080'],
    ['3050', 'RTX 3080'],
    ['GeForce GTX 1660', 'RTX 2080'],
    ['A4090', 'RTX 3080'],
    ['something', 'H200'],
  ])('%s is one of its generation, and said not to be known', (name, nearest) => {
    expect(gpuModelNamed(name)).toMatchObject({ known: false, nearest, card: { name, measured: false } });
  });
});

describe('a model that is not in the table', () => {
  it.each([
    ['NVIDIA RTX A4000', true],
    ['NVIDIA RTX 4000 SFF Ada Generation', true],
    ['NVIDIA GeForce RTX 4050', false],
    ['NVIDIA GeForce GTX 1070', false],
    ['Quadro P1000', true],
  ])('%s has peer access over PCI Express: %s', (name, peerAccess) => {
    expect(gpuModelNamed(name).card).toMatchObject({ peerAccess, boardNvLinks: null });
  });
});

describe('the table of models', () => {
  it('finds every model by its name and by each alias', () => {
    for (const { name, aliases } of gpuModels)
      for (const written of [name, name.toLowerCase(), name.replaceAll(' ', ''), ...aliases])
        expect([written, gpuModelNamed(written).nearest]).toEqual([written, name]);
  });

  it('holds positive numbers only', () => {
    for (const model of gpuModels)
      expect(
        [
          model.multiprocessors,
          model.peakHalfOperationsPerSecond,
          model.peakSingleOperationsPerSecond,
          model.peakMemoryBytesPerSecond,
        ].every((value) => value > 0),
      ).toBe(true);
  });
});
