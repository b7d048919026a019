import { describe, expect, it } from 'vitest';
import { cardNamed } from '../../../../shared/memory/cards';

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
    ['NVIDIA H200', 'H200'],
  ])('%s is known', (name, known) => {
    expect(cardNamed(name)).toMatchObject({ known: true, nearest: known });
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
  ])('%s is one of its generation, and said not to be known', (name, nearest) => {
    expect(cardNamed(name)).toMatchObject({ known: false, nearest, card: { name, measured: false } });
  });
});
