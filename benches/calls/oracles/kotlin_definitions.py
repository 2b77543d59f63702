import sys
table={}
for line in open(sys.argv[1]):
    p,b,rest=line.rstrip('\n').split('\t',2)
    table.setdefault((p,b),[]).append(rest)
for line in sys.stdin:
    p,b,n=line.rstrip('\n').split('\t')
    for rest in table.get((p,b),[]): print(p,b,rest,sep='\t')
