/** A Snapshot as it leaves this program: command lines carry tokens and passwords, which must not end up in a log. */
import type { Snapshot } from '../../shared/alerts/snapshot';
import { hideSecrets, hideSecretsInCommand } from '../storage/redact';

export function snapshotForOthers(snapshot: Snapshot): Snapshot {
  return {
    ...snapshot,
    processes: snapshot.processes.map((process) => ({
      ...process,
      name: process.name === null ? null : hideSecrets(process.name),
    })),
    jobs: snapshot.jobs.map((job) => ({
      ...job,
      title: hideSecrets(job.title),
      members: job.members.map((member) => ({
        ...member,
        process: {
          ...member.process,
          name: hideSecrets(member.process.name),
          command: member.process.command === null ? null : hideSecretsInCommand(member.process.command),
        },
      })),
    })),
  };
}
