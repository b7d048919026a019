/** What a worker may send for a question: it carries the question's number. */
export interface NumberedReply {
  readonly id: number;
}

/**
 * Questions to one worker, which is made with the first of them. A question has as many replies as its taker wants;
 * the one that the taker accepts settles it.
 */
export class WorkerCalls<Reply extends NumberedReply> {
  readonly #make: () => Worker;
  #worker: Worker | null = null;
  #lastId = 0;

  constructor(make: () => Worker) {
    this.#make = make;
  }

  /**
   * Sends a question and waits for its answer.
   * @param take the answer of a reply; null to wait for another; what it throws rejects the question
   */
  ask<Answer>(question: object, take: (reply: Reply) => { readonly answer: Answer } | null): Promise<Answer> {
    this.#worker ??= this.#make();
    const worker = this.#worker;
    this.#lastId += 1;
    const id = this.#lastId;
    return new Promise((resolve, reject) => {
      const finish = (): void => {
        worker.removeEventListener('message', onmessage);
        worker.removeEventListener('error', onerror);
      };
      const onmessage = ({ data }: MessageEvent<Reply>): void => {
        if (data.id !== id) return;
        try {
          const taken = take(data);
          if (taken === null) return;
          resolve(taken.answer);
        } catch (error) {
          reject(error instanceof Error ? error : new Error(String(error)));
        }
        finish();
      };
      const onerror = (event: ErrorEvent): void => {
        finish();
        reject(new Error(event.message));
      };
      worker.addEventListener('message', onmessage);
      worker.addEventListener('error', onerror);
      worker.postMessage({ ...question, id });
    });
  }

  /** Ends the worker with all that it was asked; those questions are never settled. The next one gets a new worker. */
  stop(): void {
    this.#worker?.terminate();
    this.#worker = null;
  }
}
