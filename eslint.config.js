import js from '@eslint/js';
import svelte from 'eslint-plugin-svelte';
import regexp from 'eslint-plugin-regexp';
import globals from 'globals';
import ts from 'typescript-eslint';
import { house } from './build/lint/plugin.mjs';

/** Every catch says why the error may be dropped, or handles it. */
const silentCatch = {
  selector: 'CatchClause > BlockStatement[body.length=0]',
  message: 'Say why the error may be dropped, or handle it.',
};

/** The layers: shared imports nothing of the others; electron and renderer import only shared. */
const forbid = (patterns, message) => ({
  'no-restricted-imports': ['error', { patterns: [{ group: patterns, message }] }],
});

export default ts.config(
  { ignores: ['dist', 'out', '.cache', 'node_modules', 'test/fixtures', 'screenshots'] },
  js.configs.recommended,
  ...ts.configs.strict,
  ...svelte.configs.recommended,
  {
    rules: {
      '@typescript-eslint/no-explicit-any': 'error',
      '@typescript-eslint/no-non-null-assertion': 'error',
      '@typescript-eslint/consistent-type-imports': 'error',
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      'no-empty': ['error', { allowEmptyCatch: false }],
      'no-restricted-syntax': ['error', silentCatch],
      eqeqeq: 'error',
      'max-lines': ['error', 400],
    },
  },
  { plugins: { house }, rules: { 'house/comment-paths': 'error' } },
  {
    files: ['shared/**/*.ts', 'electron/**/*.ts', 'renderer/**/*.ts'],
    rules: { 'house/layers': 'error', 'house/unique-types': 'error', 'house/text-decisions': 'error' },
  },
  { files: ['renderer/**/*.svelte'], rules: { 'house/text-decisions': 'error' } },
  {
    // Every text that is read may have been written against its reader: no expression may take more than linear time.
    files: [
      'shared/**/*.ts',
      'electron/**/*.ts',
      'renderer/**/*.ts',
      'renderer/**/*.svelte',
      'build/**/*.mjs',
    ],
    plugins: { regexp },
    rules: {
      'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
      'regexp/no-super-linear-move': ['error', { report: 'potential' }],
    },
  },
  {
    files: ['shared/**/*.ts'],
    rules: forbid(
      [
        '**/electron/**',
        '**/renderer/**',
        '**/test/**',
        'node:*',
        'fs',
        'path',
        'os',
        'child_process',
        'electron',
        'svelte',
        'svelte/*',
      ],
      'shared/ is pure TypeScript: it imports nothing of electron/, renderer/ or Node.',
    ),
  },
  {
    // The compiler knows no clock of the host in shared/, but JavaScript itself has these.
    files: ['shared/**/*.ts'],
    rules: {
      'no-restricted-properties': [
        'error',
        { object: 'Math', property: 'random', message: 'shared/ knows no chance.' },
        { object: 'Date', property: 'now', message: 'shared/ knows no clock: take the time as an argument.' },
      ],
      'no-restricted-syntax': [
        'error',
        silentCatch,
        {
          selector: "NewExpression[callee.name='Date'][arguments.length=0]",
          message: 'shared/ knows no clock: take the time as an argument.',
        },
      ],
    },
  },
  {
    files: ['test/**/*.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        silentCatch,
        {
          selector:
            'CallExpression > MemberExpression.callee[object.name=/^(test|it|describe)$/][property.name=/^(skip|only|todo|fails)$/]',
          message: 'Every test runs, and can fail.',
        },
      ],
    },
  },
  {
    files: ['electron/**/*.ts'],
    languageOptions: { globals: globals.node },
    rules: forbid(['**/renderer/**', '**/test/**'], 'electron/ imports only shared/.'),
  },
  {
    files: ['electron/**/*.ts'],
    ignores: ['electron/main.ts', 'electron/preload.ts', 'electron/ipc/send.ts'],
    rules: {
      'no-restricted-syntax': [
        'error',
        silentCatch,
        {
          selector: 'ImportSpecifier[imported.name=/^ipc(Main|Renderer)$/]',
          message:
            'Messages pass electron/ipc/listen.ts and answer.ts, where sender and argument are checked.',
        },
        {
          selector:
            "CallExpression[callee.object.property.name='webContents'][callee.property.name=/^(send|postMessage)$/]",
          message: 'Events pass electron/ipc/send.ts, where their types are known.',
        },
      ],
    },
  },
  {
    files: ['renderer/**/*.ts', 'renderer/**/*.svelte'],
    languageOptions: { globals: globals.browser },
    rules: forbid(
      ['**/electron/**', '**/test/**', 'node:*', 'electron', 'zod'],
      'renderer/ imports only shared/, and never zod (it would enter the bundle).',
    ),
  },
  { files: ['**/*.svelte', '**/*.svelte.ts'], languageOptions: { parserOptions: { parser: ts.parser } } },
  { files: ['**/*.cjs'], rules: { '@typescript-eslint/no-require-imports': 'off' } },
  { files: ['build/**/*', 'test/**/*', '*.js'], languageOptions: { globals: { ...globals.node } } },
);
