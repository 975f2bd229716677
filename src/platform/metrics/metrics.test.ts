import { describe, expect, it } from 'vitest';
import { createMetrics } from './metrics.js';

describe('Metrics', () => {
  it('count requests by route, method and status', async () => {
    const metrics = createMetrics({ defaults: false });
    metrics.observeRequest({
      method: 'GET',
      route: '/api/v1/boards/{board_id}',
      status: 404,
      seconds: 0.003,
    });
    expect(await metrics.render()).toContain(
      'guildhall_http_request_duration_seconds_count{method="GET",route="/api/v1/boards/{board_id}",status="404"} 1',
    );
  });

  it('count job runs by outcome, and the items they processed', async () => {
    const metrics = createMetrics({ defaults: false });
    metrics.observeJob({ name: 'sweep', processed: 4, failed: 1, threw: false, seconds: 1 });
    metrics.observeJob({ name: 'sweep', processed: 0, failed: 0, threw: true, seconds: 1 });
    const text = await metrics.render();
    expect(text).toContain('guildhall_job_pass_duration_seconds_count{job="sweep",outcome="ok"} 1');
    expect(text).toContain('guildhall_job_pass_duration_seconds_count{job="sweep",outcome="error"} 1');
    expect(text).toContain('guildhall_job_items_total{job="sweep",outcome="processed"} 4');
    expect(text).toContain('guildhall_job_items_total{job="sweep",outcome="failed"} 1');
  });

  it('include process metrics, with a separate registry per instance', async () => {
    const [one, two] = [createMetrics(), createMetrics()];
    one.observeRequest({ method: 'GET', route: '/', status: 200, seconds: 0 });
    expect(await two.render()).toContain('guildhall_process_cpu_seconds_total');
    expect(await two.render()).not.toContain('route="/"');
    expect(one.contentType).toContain('text/plain');
  });
});
