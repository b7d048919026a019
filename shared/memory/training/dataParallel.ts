/** torch.nn.DataParallel, from its documented behaviour; no run was measured. */
import { release, type Tape } from '../tape/tape';
import { elements, type Parameter, type Tensor } from '../tape/tensor';
import type { Distribution } from './distribution';

/**
 * Card 0 holds parameters, gradients and optimizer and gathers the outputs of all cards; the other cards hold a replica that every
 * forward makes anew. A replica's gradients are all there before they are summed into new ones on card 0.
 * https://github.com/pytorch/pytorch/blob/v2.11.0/torch/nn/parallel/data_parallel.py
 */
export class DataParallelTraining implements Distribution {
  readonly optimizerOnCard: boolean;

  constructor(
    private readonly tape: Tape,
    readonly trained: readonly Parameter[],
    /** Card 0, or one of the others. */
    private readonly isFirst: boolean,
    /** Bytes of the outputs that card 0 gathers from all cards. */
    private readonly outputBytes: number,
  ) {
    this.optimizerOnCard = isFirst;
  }

  forward(body: () => Tensor): Tensor {
    const loss = body();
    const { tape } = this;
    if (this.isFirst)
      tape.call(tape.log.place('gather'), [], () => tape.as('logits', () => tape.scratch(this.outputBytes)));
    return loss;
  }

  finishBackward(): void {
    const { tape, trained } = this;
    const withGradient = trained.filter(({ gradient }) => gradient !== null);
    const count = withGradient.reduce((sum, { shape }) => sum + elements(shape), 0);
    const bytes = withGradient[0]?.gradient?.elementBytes ?? 1;
    const sum = tape.at(tape.log.place('reduce_add_coalesced'), () =>
      this.isFirst && count > 0 ? tape.createOwned([count], bytes, 'gradients') : null,
    );
    for (const parameter of withGradient) {
      if (parameter.gradient !== null) release(parameter.gradient);
      parameter.gradient = sum === null ? null : tape.part(sum, parameter.shape);
    }
    if (sum !== null) release(sum);
  }
}
