/**
 * A Message is for people: its key and values may travel and be printed, but nothing is decided by them. Where the type
 * of an expression is known (typescript-eslint's services) each look into a Message is refused; elsewhere (Svelte)
 * a comparison with a literal that is a key of the catalogue.
 *
 * @type {import('eslint').Rule.RuleModule}
 */
export const textDecisionsRule = {
  meta: {
    type: 'problem',
    docs: { description: 'Decide by a code or a type, never by the key or the values of a text.' },
    schema: [],
    messages: {
      decides:
        'A text decides nothing: give the thing a code of its own instead of looking into its Message.',
    },
  },
  create(context) {
    const services = context.sourceCode.parserServices;
    const program = /** @type {import('typescript').Program | null | undefined} */ (services?.program);

    return {
      /** @param {any} node */
      MemberExpression(node) {
        const name = node.computed ? node.property.value : node.property.name;
        if (name !== 'key' && name !== 'values') return;
        if (program) {
          const object = services.esTreeNodeToTSNodeMap.get(node.object);
          if (isMessageType(program.getTypeChecker().getTypeAtLocation(object)))
            context.report({ node, messageId: 'decides' });
        } else if (name === 'key' && isComparedWithTextKey(node))
          context.report({ node, messageId: 'decides' });
      },
    };
  },
};

/** @param {import('typescript').Type} type */
function isMessageType(type) {
  const parts = type.isUnion() ? type.types : [type];
  return parts.some(({ symbol }) =>
    (symbol?.declarations ?? []).some(
      (declared) =>
        symbol.name === 'Message' && declared.getSourceFile().fileName.endsWith('shared/i18n/message.ts'),
    ),
  );
}

/** @param {any} node */
function isComparedWithTextKey({ parent, ...node }) {
  if (parent?.type !== 'BinaryExpression' || !/^[!=]==?$/.test(parent.operator)) return false;
  const other = parent.left.range[0] === node.range[0] ? parent.right : parent.left;
  return other.type === 'Literal' && /^[a-z]\w*\.\w+$/.test(String(other.value));
}
