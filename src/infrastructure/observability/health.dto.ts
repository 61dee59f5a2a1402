import { ApiProperty } from '@nestjs/swagger';
import type { ForwardingFault } from './forwarding-check.js';

export class LivenessDto {
  @ApiProperty({ enum: ['up'] })
  status: 'up';
}

class DependenciesDto {
  @ApiProperty({ enum: ['up', 'down'] })
  database: 'up' | 'down';

  @ApiProperty({
    enum: ['up', 'down', 'not_configured'],
    description: 'not_configured: cache and limits in this process',
  })
  redis: 'up' | 'down' | 'not_configured';
}

export class ReadinessDto {
  @ApiProperty({ enum: ['ready', 'degraded', 'down'] })
  status: 'ready' | 'degraded' | 'down';

  @ApiProperty()
  dependencies: DependenciesDto;

  @ApiProperty({
    enum: ['untrusted_proxy', 'proxy_hides_clients'],
    isArray: true,
    example: [],
    description:
      'Of nearly all requests. untrusted_proxy: they come from proxies that TRUST_PROXY does not name; proxy_hides_clients: ' +
      'they come from proxies that it names, but that send no address of their caller',
  })
  warnings: ForwardingFault[];
}
