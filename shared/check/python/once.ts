import type { PythonScript } from './script';

/** What is worked out of a script once, however many rules and calls ask for it. */
export function once<Answer>(compute: (script: PythonScript) => Answer): (script: PythonScript) => Answer {
  const known = new WeakMap<PythonScript, { readonly answer: Answer }>();
  return (script) => {
    const before = known.get(script);
    if (before !== undefined) return before.answer;
    const answer = compute(script);
    known.set(script, { answer });
    return answer;
  };
}

/** The same for each of many things in a script: a function, a class, a name. */
export function onceEach<Thing, Key extends string | number, Answer>(
  keyOf: (thing: Thing) => Key,
  compute: (script: PythonScript, thing: Thing) => Answer,
): (script: PythonScript, thing: Thing) => Answer {
  const answersOf = once(() => new Map<Key, { readonly answer: Answer }>());
  return (script, thing) => {
    const answers = answersOf(script);
    const key = keyOf(thing);
    const before = answers.get(key);
    if (before !== undefined) return before.answer;
    const answer = compute(script, thing);
    answers.set(key, { answer });
    return answer;
  };
}
