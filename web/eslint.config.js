import tseslint from 'typescript-eslint';

export default tseslint.config(
  { ignores: ['dist', 'node_modules'] },
  ...tseslint.configs.strict,
  {
    rules: {
      // Names come from files and from strangers: they are always text.
      'no-restricted-syntax': [
        'error',
        { selector: 'JSXAttribute[name.name="dangerouslySetInnerHTML"]', message: 'Names are text, never HTML.' },
        { selector: 'MemberExpression[property.name=/^(innerHTML|outerHTML)$/]', message: 'Names are text, never HTML.' },
        { selector: 'CallExpression[callee.property.name=/^(insertAdjacentHTML|write)$/][callee.object.name="document"]', message: 'Names are text, never HTML.' },
      ],
      'no-eval': 'error',
      eqeqeq: 'error',
      'max-lines': ['error', 500],
    },
  },
);
