import assert from 'node:assert/strict';
import { test } from 'node:test';
import { load } from './scripts.js';

load('filters');

const TASK = { facets: { place: ['lighthouse', 'pier'] } };
const SAMPLES = { ids: ['a', 'b', 'c', 'd'], facets: { place: [0, 1, 0, 1] } };
const RUNS = [
  {
    values: { official: [1, 0, 0.3, null] },
    statuses: ['answered', 'answered', 'answered', 'filtered'],
    answers: { official: ['extracted', 'abstained', 'extracted', null] },
  },
  {
    values: { official: [1, 0.5, 0.1 + 0.2, 0] },
    statuses: ['answered', 'answered', 'answered', 'answered'],
    answers: { official: ['extracted', 'extracted', 'extracted', 'malformed'] },
  },
];

function fitting(query, runs = RUNS) {
  const filters = hengfa.filtersOf(new URLSearchParams(query), false);
  return hengfa
    .fitting(TASK, SAMPLES, runs, 'official', filters)
    .map((place) => SAMPLES.ids[place]);
}

test('without a filter every sample fits', () => {
  assert.deepEqual(fitting(''), ['a', 'b', 'c', 'd']);
  assert.deepEqual(fitting('status=&min=&facet.place='), ['a', 'b', 'c', 'd']);
});

test('one of the runs must meet all filters on runs', () => {
  assert.deepEqual(fitting('status=filtered'), ['d']);
  assert.deepEqual(fitting('answer=extracted&max=50'), ['b', 'c']);
  assert.deepEqual(fitting('status=filtered&answer=malformed'), []); // each is of another run
});

test('bounds count as inside, and no score is no score of 0', () => {
  assert.deepEqual(fitting('min=100'), ['a']);
  assert.deepEqual(fitting('min=30&max=30'), ['c']); // also 0.1 + 0.2
  assert.deepEqual(fitting('max=0', RUNS.slice(0, 1)), ['b']);
  assert.deepEqual(fitting('min=ten'), ['a', 'b', 'c', 'd']);
});

test('samples are found by what they are', () => {
  assert.deepEqual(fitting('facet.place=pier'), ['b', 'd']);
  assert.deepEqual(fitting('facet.place=cellar'), []);
  assert.deepEqual(fitting('facet.unknown=pier'), ['a', 'b', 'c', 'd']);
});

test('runs differ where one has another score, or none', () => {
  assert.deepEqual(fitting('differ=1'), ['b', 'd']);
});

test('a figure that is no fraction has bounds as they are written', () => {
  assert.equal(hengfa.filtersOf(new URLSearchParams('max=120'), true).max, 120);
  assert.equal(hengfa.filtersOf(new URLSearchParams('max=120'), false).max, 1.2);
});
