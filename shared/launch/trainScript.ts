import type { LaunchFile, LaunchPlan } from './plan';
import { PythonText } from './python';
import { writeData } from './sections/data';
import { writeHead } from './sections/head';
import { writeModel, writeOptimizer, writeWrap } from './sections/model';
import { writeMemorySnapshot } from './sections/memorySnapshot';
import { writeMain, writeMemory, writeSave, writeSetUp, writeTraining } from './sections/run';
import { isDeepSpeed, isPipeline } from './plan';
import { writePipeline } from './sections/pipeline';

/** `train.py` of a plan: complete, and runnable as it is with random weights and the built-in sample. */
export function trainScript(plan: LaunchPlan): LaunchFile {
  const text = new PythonText();
  writeHead(text, plan);
  writeSetUp(text, plan);
  writeData(text, plan);
  if (isPipeline(plan)) writePipeline(text, plan);
  else {
    writeModel(text, plan);
    writeWrap(text, plan);
  }
  if (!isDeepSpeed(plan)) writeOptimizer(text, plan);
  writeMemory(text, plan);
  writeMemorySnapshot(text);
  writeSave(text, plan);
  writeTraining(text, plan);
  writeMain(text, plan);
  return { name: 'train.py', text: text.toString() };
}
