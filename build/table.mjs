/**
 * A table for a terminal: columns as wide as their longest cell, two spaces between them.
 *
 * @param {readonly (readonly string[])[]} rows
 * @returns {string} each row a line, indented
 */
export function formatTable(rows) {
  const widths = (rows[0] ?? []).map((_, column) =>
    Math.max(...rows.map((row) => (row[column] ?? '').length)),
  );
  const line = (/** @type {readonly string[]} */ row) =>
    `  ${row.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join('  ')}`.trimEnd();
  return `${rows.map(line).join('\n')}\n`;
}
