/** ChatGLM2, ChatGLM3 and GLM-4 9B with their output layer, which the base class has too. */
import type { Family } from '../declaration';
import { readChatglm } from './config';

export const family: Family = {
  name: 'chatglm',
  modelTypes: {
    chatglm: { kind: 'model', baseClass: 'ChatGLMModel', read: readChatglm },
  },
  simulation: null,
};
