import js from '@eslint/js';
import { defineConfig } from 'eslint/config';
import tseslint from 'typescript-eslint';

export default defineConfig(
  { ignores: ['dist/', 'node_modules/'] },
  js.configs.recommended,
  {
    files: ['**/*.ts'],
    extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
    languageOptions: { parserOptions: { projectService: true, tsconfigRootDir: import.meta.dirname } },
    rules: {
      // Numbers in words are what the views are made of.
      '@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
    },
  },
  {
    files: ['tests/unit/**/*.ts'],
    rules: {
      // Node's runner waits for the tests by itself.
      '@typescript-eslint/no-floating-promises': [
        'error',
        { allowForKnownSafeCalls: [{ from: 'package', name: ['test'], package: 'node:test' }] },
      ],
    },
  },
  {
    files: ['tests/ring/neighbour/*.js', 'tests/ring/analyzer/*.js'],
    languageOptions: {
      sourceType: 'commonjs',
      globals: { exports: 'readonly', process: 'readonly', require: 'readonly', setTimeout: 'readonly' },
    },
  },
  {
    files: ['**/*.mjs'],
    languageOptions: {
      globals: {
        clearTimeout: 'readonly',
        console: 'readonly',
        document: 'readonly',
        getComputedStyle: 'readonly',
        performance: 'readonly',
        process: 'readonly',
        setTimeout: 'readonly',
        KeyboardEvent: 'readonly',
        URL: 'readonly',
        window: 'readonly',
      },
    },
  },
);
