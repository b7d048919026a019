// eslint-disable-next-line no-control-regex -- control characters are what is looked for
const controls = /[\u0000-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

/**
 * A text with its control characters made visible: a process may call itself anything, and must not steer a terminal. Marks that
 * turn the direction of writing are among them, as they would show a command other than it is (https://trojansource.codes).
 */
export function printable(text: string): string {
  return text.replace(controls, '\ufffd');
}

/** JSON in which those characters stand as escapes: the value is the same, and no terminal obeys it. */
export function escapeControls(json: string): string {
  return json.replace(controls, (found) => `\\u${found.charCodeAt(0).toString(16).padStart(4, '0')}`);
}
