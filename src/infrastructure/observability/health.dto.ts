import { ApiProperty } from '@nestjs/swagger';

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
    enum: ['untrusted_proxy'],
    isArray: true,
    example: [],
    description: 'untrusted_proxy: all requests come from one proxy that TRUST_PROXY does not name',
  })
  warnings: 'untrusted_proxy'[];
}
