/** The lines of a text's shell blocks, without comments, and what it says of npm in passing. */
export function commandsIn(text: string): readonly string[] {
  const inPassing = [...text.matchAll(/`(npm [^`…]+)`/g)].map(([, command = '']) => command.trim());
  return [...inPassing, ...linesOfBlocks(text)];
}

function linesOfBlocks(text: string): readonly string[] {
  return [...text.matchAll(/```sh\n([\s\S]*?)```/g)]
    .flatMap(([, block = '']) => block.split('\n'))
    .map((line) => line.replace(/\s+#.*$/, '').trim())
    .filter((line) => line !== '' && !line.startsWith('#'));
}

/** Where a text's links lead that stay in the project, without the place within a page. */
export function linksIn(text: string): readonly string[] {
  return [...text.matchAll(/\]\(([^)\s]+)\)/g)]
    .map(([, target = '']) => target.replace(/#.*$/, ''))
    .filter((target) => target !== '' && !/^[a-z]+:/.test(target));
}
