import type { ProgramRow } from './program';

/** Programs that make images or video from a model. */
export const imagingPrograms = [
  {
    // https://github.com/comfyanonymous/ComfyUI/blob/master/comfy/cli_args.py
    name: 'comfyui',
    sign: /\bcomfy(?:ui|_extras)?\b|!!! Exception during processing|Got an OOM, unloading all loaded models/i,
    does: 'imaging',
    onPyTorch: true,
    words: {
      lowMemoryMode: '--lowvram',
      weightOffload: '--novram',
      tiledDecoding: 'VAE Decode (Tiled)',
      quantisedWeights: '--fp8_e4m3fn-unet',
    },
  },
  {
    // https://github.com/AUTOMATIC1111/stable-diffusion-webui/wiki/Optimizations
    name: 'stable-diffusion-webui',
    sign: /stable-diffusion-webui|webui-user|modules[\\/](?:sd_\w+|processing|txt2img)\.py|--medvram/i,
    does: 'imaging',
    onPyTorch: true,
    words: { lowMemoryMode: '--medvram', weightOffload: '--lowvram', fusedAttention: '--opt-sdp-attention' },
  },
  {
    // https://huggingface.co/docs/diffusers/optimization/memory
    name: 'diffusers',
    sign: /[\\/]diffusers[\\/](?:pipelines|models|loaders)[\\/]|\bStableDiffusion\w*Pipeline\b|DiffusionPipeline\b/,
    does: 'imaging',
    onPyTorch: true,
    words: {
      lowMemoryMode: 'pipe.enable_model_cpu_offload()',
      weightOffload: 'pipe.enable_sequential_cpu_offload()',
      tiledDecoding: 'pipe.vae.enable_tiling()',
      quantisedWeights: 'from_pretrained(…, quantization_config=PipelineQuantizationConfig(…))',
    },
  },
] as const satisfies readonly ProgramRow[];
