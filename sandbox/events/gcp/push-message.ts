interface Message {
  readonly entry: object & { readonly timestamp?: unknown };
  readonly project: string;
  readonly messageId: string;
}

/** A log entry as a push subscription's request has it: https://docs.cloud.google.com/pubsub/docs/push#receive_push */
export function pushMessage({ entry, project, messageId }: Message): object {
  const { timestamp } = entry;
  return {
    message: {
      attributes: { 'logging.googleapis.com/timestamp': timestamp },
      data: Buffer.from(JSON.stringify(entry)).toString('base64'),
      messageId,
      message_id: messageId,
      publishTime: timestamp,
      publish_time: timestamp,
    },
    subscription: `projects/${project}/subscriptions/sandbox`,
  };
}
