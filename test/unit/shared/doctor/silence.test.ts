import { describe, expect, it } from 'vitest';
import { diagnose } from '../../../../shared/doctor/reader';

/** Texts that hold the words of a failure and report none: sources, histories, help, advice, programs that recovered. */
const quiet: Readonly<Record<string, string>> = {
  'python handler': `import torch\n\ndef train(model, batch):\n    try:\n        loss = model(batch)\n    except torch.cuda.OutOfMemoryError:\n        print("CUDA out of memory, skipping batch")\n        torch.cuda.empty_cache()\n        return None\n    return loss\n`,
  js: `if (error.message.includes('CUDA out of memory')) {\n  console.error("CUDA out of memory. Tried to allocate");\n  process.exit(1);\n}\n`,
  cpp: `#include <cuda.h>\n  if (err == cudaErrorMemoryAllocation) {\n    fprintf(stderr, "CUDA error: out of memory\\n");\n    throw std::runtime_error("cudaMalloc failed: out of memory");\n  }\n`,
  rust: `    match alloc(size) {\n        Err(e) => panic!("memory allocation of {} bytes failed", size),\n        Ok(p) => p,\n    }\n`,
  'git oneline': `a1b2c3d Fix CUDA out of memory in eval loop\n9f8e7d6 Handle DataLoader worker killed by signal: Killed\n1c2d3e4 docs: explain exit code 137\n`,
  'git log': `commit a1b2c3d4e5f6a7b8c9d0a1b2c3d4e5f6a7b8c9d0\nAuthor: A <a@b>\nDate:   Mon Jan 1 00:00:00 2024\n\n    Fix RuntimeError: CUDA out of memory in eval\n\n    The worker was killed by SIGKILL (exit code -9) when memory ran out.\n`,
  diff: `diff --git a/t.py b/t.py\n--- a/t.py\n+++ b/t.py\n@@ -1,4 +1,5 @@\n def f():\n-    raise RuntimeError("CUDA out of memory")\n+    # RuntimeError: CUDA error: out of memory\n+    return None\n`,
  faq: `## FAQ\n\n**Q: I get "CUDA out of memory". What can I do?**\nA: Reduce the batch size. If the error persists, use gradient checkpointing.\n\n**Q: My pod is OOMKilled (exit code 137).**\nA: Raise the memory limit.\n`,
  help: `usage: train.py [-h] [--oom-retry]\n\noptions:\n  -h, --help            show this help message and exit\n  --oom-retry           retry a batch once after CUDA out of memory\n  --max-restarts N      restart workers that were killed by signal 9 (SIGKILL)\n                        or ended with exit code 137\n`,
  shell: `#!/bin/bash\nset -e\npython train.py\ncode=$?\nif [ $code -eq 137 ]; then\n  echo "exit code 137: killed, out of memory"\nfi\ngrep -q "CUDA out of memory" log.txt && echo "CUDA out of memory"\n`,
  'batch finder': `Using 16bit Automatic Mixed Precision (AMP)\nGPU available: True (cuda), used: True\nBatch size 2 succeeded, trying batch size 4\nBatch size 4 succeeded, trying batch size 8\nBatch size 8 failed, trying batch size 6\nRuntimeError: CUDA out of memory. Tried to allocate 2.00 GiB\nFinished batch size finder, will continue with full run using batch size 6.\nEpoch 0: 100%|####| 100/100 [00:10<00:00, 10.0it/s, loss=0.5]\n\`Trainer.fit\` stopped: \`max_epochs=1\` reached.\n`,
  accelerate: `Decreasing batch size to: 16 due to CUDA out of memory\n  5%|5 | 50/1000 [00:10<03:10,  5.0it/s]\n{'loss': 1.2, 'epoch': 0.1}\nTraining completed.\n`,
  skip: `step 100 loss 2.10\nWARNING: CUDA out of memory. Tried to allocate 1.00 GiB, skipping batch\nstep 101 loss 2.09\nstep 102 loss 2.08\ntraining finished\n`,
  'comfy tiled': `Warning: Ran out of memory when regular VAE decoding, retrying with tiled VAE decoding.\nPrompt executed in 53.20 seconds\n`,
  ultralytics: `WARNING CUDA OutOfMemoryError in TaskAlignedAssigner, using CPU\n      1/100      7.1G      1.2      0.9      1.1        300        640: 100%|####| 100/100 [00:30<00:00]\n100 epochs completed in 1.2 hours.\n`,
  yaml: `env:\n  - name: PYTORCH_CUDA_ALLOC_CONF\n    value: expandable_segments:True\nannotations:\n  message: "CUDA out of memory"\nrestartPolicy: OnFailure  # after OOMKilled\n`,
  'md docs': `If you see \`RuntimeError: CUDA out of memory\`, lower the batch size.\nThe message "DataLoader worker (pid X) is killed by signal: Killed" means that host memory ran out.\n`,
  changelog: `## 1.2.0\n- Fix CUDA out of memory when saving checkpoints (#123)\n- Handle workers killed by SIGKILL\n- Added --max-memory\n`,
  'memory.events zero': `low 0\nhigh 0\nmax 0\noom 0\noom_kill 0\noom_group_kill 0\n`,
  'rm handler': `try {\n  await run();\n} catch (e) {\n  if (/out of memory/i.test(String(e))) throw new Error("GPU out of memory");\n}\n`,
  grep: `train.py:42:        if "out of memory" in str(e):\nutils.py:7:OOM_TEXT = "CUDA out of memory"\n`,
  unit: `tests/test_oom.py::test_cuda_out_of_memory PASSED\ntests/test_oom.py::test_killed PASSED\n2 passed in 0.1s\n`,
  dockerfile: `FROM nvidia/cuda:12.1\nRUN echo "out of memory" > /tmp/x\nCMD ["python", "train.py"]\n`,
};

const failure =
  'torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB. GPU 0 has a total capacity of 23.65 GiB of which 40.00 MiB is free.';

describe('texts that report no failure', () => {
  it.each(Object.entries(quiet))('are left alone: %s', (_name, text) => {
    expect(diagnose(text).failures).toEqual([]);
  });

  it.each(Object.entries(quiet))('do not hide a failure that follows: %s', (_name, text) => {
    const { failures } = diagnose(`${text}\n${failure}\n`);
    expect(failures.map(({ facts }) => facts.capacityBytes)).toContain(25_393_994_138);
  });
});
