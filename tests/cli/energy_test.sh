#!/usr/bin/env bash
# ebm, sample, loglik, by way of kullback.
root=$PWD
source "$(dirname "$0")/expect.sh"
deep=$(dirname "$kullback")/kullback-deep
if [ ! -x "$deep" ]; then echo "kullback-deep is not built (no LibTorch): nothing to test"; exit 0; fi
export OMP_NUM_THREADS=1
python3 "$root/tests/energy/make_rows.py" .
python3 "$root/tests/deep/make_images.py" .
images=bars-images-idx3-ubyte
same="--seed 1 --threads 1"
quick="$same --hidden 16 --batch 100 --rate 0.01 --chain-steps 3 --chains 200 --judge-every 5"
few="--temperatures 100 --chains 100 --raise-rows 10 --raise-chains 4 --threads 1"

expect 'an energy of two columns' 0 'held-out log likelihood' -- "$kullback" ebm ring.csv $quick --epochs 20 --out ring
expect 'what is said of it' 0 'energy gap' -- "$kullback" summary ring
expect 'the record' 0 '"kind": "ebm"' -- cat ring/run.json
expect 'a line for each epoch' 0 '^21 ' -- wc -l ring/training.csv
expect 'of the chains too' 0 '^epoch,energy_data,energy_chains,acceptance$' -- head -1 ring/chains.csv
expect 'a picture of the density' 0 'PNG' -- head -c 4 ring/density.png
expect 'no checkpoint is left' 1 -- test -e ring/checkpoint.safetensors
expect 'log likelihoods' 0 'by RAISE' -- "$kullback" loglik ring ring_new.csv $few
also 'how they err is said' 'too high on average, as log Z is too low'
expect 'they agree with quadrature' 0 -- python3 -c "
import json; f = json.load(open('ring/loglik.json'))
assert abs(f['log_likelihood'] - f['exact_log_likelihood']) < max(0.1, 5 * f['error_of_log_z']), f
assert -4.6 < f['log_likelihood'] < -3.4, f"
expect 'one for each row' 0 '^501 ' -- wc -l ring/loglik.csv
expect 'not overwritten' 73 'exists already' -- "$kullback" loglik ring ring_new.csv $few
expect 'interrupted log likelihoods' 130 'interrupted at temperature [0-9]+ of 1000000 of an annealing; nothing was written' -- bash -c "interrupted '$kullback' loglik ring ring_new.csv --temperatures 1000000 --chains 2 --threads 1 --out cut.csv"
expect 'nothing is there' 1 -- test -e cut.csv
expect 'new rows' 0 '100 samples .500 transitions of mala' -- "$kullback" sample ring --count 100 --threads 1
expect 'they have their names' 0 '^a,b$' -- head -1 ring/new_samples.csv
expect 'and are where the data are' 0 -- python3 -c "
import csv; rows = [list(map(float, r)) for r in list(csv.reader(open('ring/new_samples.csv')))[1:]]
assert len(rows) == 100 and abs(sum(r[1] for r in rows) / 100 - 10) < 0.8, rows[:3]"
expect 'from base' 0 'from the base' -- "$kullback" sample ring --count 9 --from base --transitions 20 --threads 1 --out a.csv
expect 'from annealed' 0 'from annealed' -- "$kullback" sample ring --count 9 --from annealed --threads 1 --out new.npy
expect 'as .npy' 0 'NUMPY' -- head -c 6 new.npy
expect 'the same again' 0 '^$' -- bash -c "'$kullback' sample ring --count 9 --from base --transitions 20 --out b.csv --threads 1 --quiet && cmp a.csv b.csv"
expect 'others by another seed' 1 'differ' -- bash -c "'$kullback' sample ring --count 9 --from base --transitions 20 --seed 2 --out c.csv --threads 1 --quiet && cmp a.csv c.csv"

expect 'a machine of 0 and 1' 0 'energy +rbm' -- "$kullback" ebm bits.csv $same --hidden-units 6 --epochs 20 --rate 0.01 --out bits
expect 'between two annealings' 0 'log Z .* annealed up from the base and down from exact draws' -- "$kullback" loglik bits bits_new.csv $few
also 'exactly' 'sum over the 2.6 states'
expect 'exact draws' 0 'exact draws' -- "$kullback" sample bits --threads 1
expect 'exact training' 0 'training +exact' -- "$kullback" ebm bits.csv $same --hidden-units 6 --epochs 3 --training exact --out exact
for training in persistent cd short-run; do
  expect "training $training" 0 "training +$training" -- "$kullback" ebm ring.csv $same --hidden 8 --epochs 2 --judge-every 2 --chain-steps 2 --training $training --out $training
done
for sampler in langevin preconditioned hmc; do
  expect "sampler $sampler" 0 "sampler +$sampler" -- "$kullback" ebm ring.csv $quick --epochs 2 --sampler $sampler --training persistent --out $sampler
done
expect 'images' 0 'images 8 x 8' -- "$kullback" ebm $images $quick --epochs 2 --architecture conv --filters 4,8 --out images
expect 'a grid of samples' 0 'PNG' -- head -c 4 images/samples.png
expect 'a picture of new ones' 0 'new_samples.png' -- "$kullback" sample images --count 8 --threads 1
expect 'bits a pixel' 0 'bits a pixel' -- "$kullback" loglik images $images --temperatures 20 --chains 20 --raise-rows 2 --raise-chains 2 --threads 1
expect 'images as 0 and 1' 0 'energy +rbm' -- "$kullback" ebm $images $same --energy rbm --epochs 2 --out imagebits
expect 'short runs say what they are' 0 'learn a sampler' -- "$kullback" summary short-run

long="$quick --epochs 30 --save-every 0"
"$kullback" ebm ring.csv $long --quiet --out whole
expect 'interrupted' 130 -- bash -c "'$kullback' ebm ring.csv $long --quiet --out part & pid=\$!
  for i in {1..1000}; do [ -e part/checkpoint.safetensors ] && break; sleep 0.01; done; kill -INT \$pid; wait \$pid"
expect 'no weights yet' 66 'its training did not end' -- "$kullback" sample part
expect 'resumed' 0 -- "$kullback" ebm ring.csv $long --resume --out part
expect 'to the same bits' 0 '^$' -- cmp whole/weights.safetensors part/weights.safetensors
expect 'nothing is left to do' 0 'nothing is left to do' -- "$kullback" ebm ring.csv --resume --out whole
expect 'resume with other options' 64 'was begun with --hidden 16' -- "$kullback" ebm ring.csv --resume --hidden 17 --out whole

expect 'a divergent chain' 65 'it began in chain' -- "$kullback" ebm ring.csv $same --hidden 8 --training persistent --sampler langevin --step-size 2.2 --epochs 400 --batch 1000 --chains 50 --chain-steps 3 --out diverged
expect 'the last good state is kept' 0 '"status": "stopped"' -- cat diverged/run.json
expect 'it can be used' 0 -- "$kullback" loglik diverged ring_new.csv $few

expect 'no such file' 66 'none.csv' -- "$kullback" ebm none.csv
expect 'no such energy' 64 'Known are: net, rbm' -- "$kullback" ebm ring.csv --energy spring
expect 'no such sampler' 64 'Known are: mala, hmc' -- "$kullback" ebm ring.csv --sampler nuts
expect 'no such training' 64 'Known are: weighted, persistent, cd' -- "$kullback" ebm ring.csv --training adam
expect 'an option of another sampler' 64 'leapfrogs is not an option of --sampler mala' -- "$kullback" ebm ring.csv --sampler mala --leapfrogs 3
expect 'a sampler of 0 and 1' 64 'sampler gibbs moves 0 and 1' -- "$kullback" ebm ring.csv --sampler gibbs --out x
expect 'numbers for a machine' 65 "column 'a' has numbers besides 0 and 1" -- "$kullback" ebm ring.csv --energy rbm --out x
expect 'no constant' 64 'needs the constant of the energy' -- "$kullback" ebm plane.csv --training exact --out x
expect 'patience without likelihoods' 64 'cannot be combined with held-out likelihoods' -- "$kullback" ebm plane.csv --patience 3 --out x
expect 'convolutions of no images' 64 'needs images' -- "$kullback" ebm ring.csv --architecture conv --out x
expect 'images of another size' 65 'rows of 2 numbers, but images 8x8 have 64' -- "$kullback" ebm ring.csv --image 8x8 --out x
expect 'a part that is none' 64 'renewed' -- "$kullback" ebm ring.csv --training persistent --renewed 2 --out x
expect 'no part of the chains' 64 'least-effective' -- "$kullback" ebm ring.csv --least-effective 2 --out x
expect 'weights of chains that are off' 64 'sampler langevin is not adjusted' -- "$kullback" ebm ring.csv --sampler langevin --out x
expect 'a negative decay' 64 'energy-decay' -- "$kullback" ebm ring.csv --energy-decay=-1 --out x
printf 'a,b\n1,2\n1,3\n1,5\n' >constant.csv
expect 'a column that does not vary' 65 "column 'a' is the same number in all rows" -- "$kullback" ebm constant.csv --out x
printf 'a,b\n1,2\n1\n' >ragged.csv
expect 'rows of two lengths' 65 'ragged.csv' -- "$kullback" ebm ragged.csv --out x
printf 'a,b\n1,2\n' >one.csv
expect 'one row' 65 'too few' -- "$kullback" ebm one.csv --validation 0 --out x
expect 'nothing was left behind' 1 -- test -e x
expect 'rows without a column' 65 'ring_new' -- "$kullback" loglik bits ring_new.csv $few --force
expect 'rows of another length' 65 'rows of 64 numbers' -- "$kullback" loglik ring $images $few --force
expect 'a folder of nothing' 66 'no trained model' -- "$kullback" loglik nowhere ring_new.csv
expect 'no folder' 64 'needs DIR' -- "$kullback" sample
expect 'help without a folder' 0 'an energy .*kullback ebm' -- "$kullback" loglik --help
expect 'help without a folder has the options of all kinds' 0 'temperatures .* \(ebm\)' -- bash -c "'$kullback' loglik --help | tr '\n' ' '"
expect 'help of a folder' 0 'raise-rows' -- "$kullback" loglik ring --help
expect 'no exact draws' 64 'no exact draws' -- "$kullback" sample ring --from exact --force
expect 'no chains' 64 'kept no chains' -- "$kullback" sample cd --from chains
expect 'no picture of what is no image' 64 'no images' -- "$kullback" sample ring --out ring.png
"$kullback" vae plane.csv --epochs 1 --latent 2 --hidden 4 --seed 1 --threads 1 --quiet --out vae
expect 'an autoencoder has another verb' 65 'kullback evaluate' -- "$kullback" loglik vae plane.csv
expect 'and still gives samples' 0 '5 samples' -- "$kullback" sample vae --count 5
cp hmc/weights.safetensors ring/weights.safetensors
expect 'weights that are not those of the run' 65 'ring/weights.safetensors: has .* the run wrote' -- "$kullback" sample ring --force
expect 'also by the summary' 65 'ring/weights.safetensors: has .* the run wrote' -- "$kullback" summary ring
forget_files ring
expect 'weights of another network' 65 'has no|another model' -- bash -c "cp bits/weights.safetensors ring/weights.safetensors; '$kullback' sample ring --force"
finish
