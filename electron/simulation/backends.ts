import { machineBackend, type Backends, type SamplerBackend } from '../sensing/backend';
import { findScene } from './scenes';
import { SimulatedWorkstation, type SimulationOptions } from './workstation';

/** This machine's cards, and every scene. */
export function backendsWith(simulation: SimulationOptions, procFolder = '/proc'): Backends {
  return {
    has: (sceneId) => findScene(sceneId) !== null,
    open: ({ sceneId, nvidiaSmiPath }) =>
      sceneId === null ? machineBackend(nvidiaSmiPath, procFolder) : sceneBackend(sceneId, simulation),
  };
}

/** A scene with its processes, read through the stand-in nvidia-smi. */
function sceneBackend(sceneId: string, simulation: SimulationOptions): SamplerBackend {
  const scene = findScene(sceneId);
  if (scene === null) throw new Error(`no scene is called ${sceneId}`);
  const workstation = SimulatedWorkstation.start(scene, simulation);
  return {
    origin: { kind: 'simulated', sceneId },
    speed: simulation.speed ?? 1,
    devicePrefix: workstation.devicePrefix,
    minors: new Map(scene.cards.map(({ pciBusId, minorNumber }) => [pciBusId, minorNumber])),
    locate: () => ({ kind: 'found', call: workstation.nvidiaSmi }),
    stop: () => workstation.stop(),
  };
}
