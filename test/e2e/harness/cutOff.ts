import type { Page } from 'playwright-core';

/** So far a quiet button may stand beyond its cell, for its text to line up with the column. */
const allowedPixels = 4;

/**
 * What is wider than its room as the page is drawn now, one line each: the element's words and by how many pixels. What
 * ends in an ellipsis by design, and code that scrolls in a frame of its own, is not listed.
 */
export function whatIsCutOff(window: Page): Promise<readonly string[]> {
  return window.evaluate(cutOff);
}

// What runs in the page is text: these tests are checked without the page's types.
const cutOff = `(() => {
  const excess = (element) => element.scrollWidth - element.clientWidth;
  const isByDesign = (element) => {
    const style = getComputedStyle(element);
    return (
      style.textOverflow === 'ellipsis' ||
      style.clipPath !== 'none' ||
      style.display.startsWith('inline') ||
      element.closest('pre, textarea, select, input, svg, canvas, [data-scrolls-sideways]') !== null
    );
  };
  const nameOf = (element) =>
    element.tagName.toLowerCase() + ' "' + (element.innerText ?? '').replace(/\\s+/g, ' ').trim().slice(0, 60) + '"';
  return [document.documentElement, ...document.body.querySelectorAll('*')]
    .filter((element) => element.clientWidth > 0 && excess(element) > ${allowedPixels} && !isByDesign(element))
    .map((element) => nameOf(element) + ' by ' + excess(element));
})()`;
