/** A program of its own, so that it can look from another user, mount or namespace: verdict and signs of the jobs of these pids. */
import { judged } from './judgedJobs';

const pids = process.argv.slice(2).map(Number);
const jobs = judged(...pids).filter(({ members }) =>
  members.some(({ process: one }) => pids.includes(one.pid)),
);
process.stdout.write(
  JSON.stringify(jobs.map(({ verdict, reasons }) => [verdict, ...reasons.map(({ sign }) => sign)])),
);
