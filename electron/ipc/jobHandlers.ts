import { CannotFree, type Freeing } from '../ending/freeing';
import { CallRefusal, type Handlers } from './answer';

export type JobCalls = 'jobs.free' | 'jobs.doNotWait';

export interface JobServices {
  readonly freeing: Freeing;
}

export function jobHandlers({ freeing }: JobServices): Pick<Handlers, JobCalls> {
  return {
    'jobs.free': async ({ jobId, shown }) => {
      try {
        return await freeing.free(jobId, shown);
      } catch (error) {
        if (error instanceof CannotFree) throw new CallRefusal(error.code, error.reason);
        throw error;
      }
    },
    'jobs.doNotWait': ({ jobId }) => {
      freeing.cutShort(jobId);
      return null;
    },
  };
}
