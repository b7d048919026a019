import type { Bridge, RawBridge } from '../../shared/contract/bridge';

/** The preload's bridge with its events read: main wrote them as JSON, from payloads of the contract's types. */
export function readingBridge(raw: RawBridge): Bridge {
  return {
    call: (name, argument) => raw.call(name, argument),
    on: (name, listener) => raw.on(name, (json) => listener(JSON.parse(json))),
  };
}
