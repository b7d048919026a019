/** What the families declare, by the names under which it is asked for. */
import { decoderModel, type ReadArchitecture } from '../model/decoderClasses';
import type { ConfigFields } from '../model/configFields';
import type { ModelClass } from '../model/modelClass';
import type { DecoderType, Family, ListedTypes, ModelType, Simulation, TowerType } from './declaration';
import * as declared from './families';

const families: readonly Family[] = Object.values(declared);

const modelTypes: ReadonlyMap<string, ModelType> = new Map(
  families.flatMap((family) => Object.entries(family.modelTypes)),
);

const towers: ReadonlyMap<string, TowerType> = new Map(
  families.flatMap(({ towers: own = {} }) => Object.entries(own)),
);

const simulations: ReadonlyMap<string, Simulation | null> = new Map(
  families.map(({ name, simulation }) => [name, simulation]),
);

/** The declared type of a `model_type`; null where no family declares it. */
export const modelTypeNamed = (name: string): ModelType | null => modelTypes.get(name) ?? null;

/** The first declared type that `isWanted`, with its `model_type`; decoders before whole models. Null: none is. */
export function findModelType(isWanted: (type: ModelType) => boolean): readonly [string, ModelType] | null {
  const entries = [...modelTypes].filter(([, type]) => isWanted(type));
  return entries.find(([, { kind }]) => kind === 'decoder') ?? entries[0] ?? null;
}

/** The own code of the family that `Architecture.family` names; null where none is written. */
export const simulationOf = (family: string): Simulation | null => simulations.get(family) ?? null;

function decoderNamed(name: string): DecoderType | null {
  const type = modelTypeNamed(name);
  return type?.kind === 'decoder' ? type : null;
}

export const listedTypes: ListedTypes = { decoder: decoderNamed, tower: (name) => towers.get(name) ?? null };

/** Reads a whole config over what its class takes where the file is silent. Throws a `Refusal` where a size is missing. */
export function readWhole(type: ModelType, fields: ConfigFields, modelClass: ModelClass): ReadArchitecture {
  const filled = fields.over(type.defaults?.whole ?? {});
  return type.kind === 'decoder'
    ? decoderModel(type.read(filled), modelClass)
    : type.read(filled, modelClass, listedTypes);
}
